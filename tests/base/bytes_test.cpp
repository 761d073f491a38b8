#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"

namespace cone {
namespace {

/// The message of the error that `read` throws on these bytes.
template <class Read>
std::string message_of(const std::string& bytes, const Read& read) {
  ByteReader reader(bytes, "some.file", "make it again");
  try {
    read(reader);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kData);
    return error.what();
  }
  return "";
}

TEST(Bytes, ComeBackAsTheyWereWritten) {
  std::ostringstream out;
  ByteWriter writer(out);
  const std::vector<float> values = {1.5F, -2.0F};
  writer.put(std::uint32_t{7});
  writer.put(0.1);
  writer.put_text("x,\ny");
  writer.put_values(std::span(values));
  EXPECT_EQ(writer.num_bytes(), out.str().size());

  const std::string bytes = out.str();
  ByteReader reader(bytes, "some.file", "make it again");
  EXPECT_EQ(reader.next<std::uint32_t>("a count"), 7U);
  EXPECT_EQ(reader.next_positive("a scale"), 0.1);
  EXPECT_EQ(reader.next_text(10, "a name"), "x,\ny");
  std::vector<float> read(2);
  reader.next_values(std::span(read), "values");
  EXPECT_EQ(read, values);
  EXPECT_EQ(reader.num_left(), 0U);
}

TEST(Bytes, AreCountedAndHashedWithoutAStream) {
  std::ostringstream out;
  ByteWriter writing(out);
  ByteWriter counting;
  for (ByteWriter* writer : {&writing, &counting}) {
    writer->put_text("abc");
    writer->put(std::uint64_t{5});
  }
  EXPECT_EQ(counting.num_bytes(), 15U);
  EXPECT_EQ(counting.checksum(), writing.checksum());
}

TEST(Bytes, ThatAreNotThereAreNeverRead) {
  const std::string whole = "some.file: ends before a count; make it again";
  EXPECT_EQ(message_of("abc", [](ByteReader& r) { r.next<std::uint32_t>("a count"); }), whole);
  EXPECT_EQ(message_of("", [](ByteReader& r) { r.next_bytes(1, "a count"); }), whole);
  EXPECT_EQ(message_of("abc",
                       [](ByteReader& r) {
                         r.next_bytes(std::numeric_limits<std::uint64_t>::max(), "a count");
                       }),
            whole);
  EXPECT_EQ(message_of("abc",
                       [](ByteReader& r) {
                         std::vector<double> values(1);
                         r.next_values(std::span(values), "a count");
                       }),
            whole);
  const std::string long_text("\xff\xff\xff\xff text", 9);
  EXPECT_NE(message_of(long_text, [](ByteReader& r) { r.next_text(100, "a name"); })
                .find("4294967295 bytes of text, but at most 100 are allowed"),
            std::string::npos);
  EXPECT_NE(message_of(std::string("\x06\0\0\0 text", 9),
                       [](ByteReader& r) { r.next_text(100, "a name"); })
                .find("ends before a name"),
            std::string::npos);
}

TEST(Bytes, ThatAreNoNumbersAreRefused) {
  for (const double value : {std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), -1.0, 0.0}) {
    std::ostringstream out;
    ByteWriter(out).put(value);
    EXPECT_NE(message_of(out.str(), [](ByteReader& r) { r.next_positive("a scale"); }), "");
    const std::string message =
        message_of(out.str(), [](ByteReader& r) { r.next_finite("a mean"); });
    EXPECT_EQ(message.empty(), std::isfinite(value));
  }
}

}  // namespace
}  // namespace cone
