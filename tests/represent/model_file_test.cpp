#include "cone/represent/model_file.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "cone/base/error.hpp"
#include "cone/base/hash.hpp"

#include "represent/cone_model.hpp"
#include "support/small_network.hpp"
#include "support/mutations.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

constexpr std::size_t kChecksumDigits = 32;
// Places of the fixed header (docs/model_format.md).
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kNumTensorsAt = 12;
constexpr std::size_t kLengthAt = 16;
constexpr std::size_t kNumFeaturesAt = 24;
constexpr std::size_t kScaleAt = 40;
constexpr std::size_t kDataChecksumAt = 48;
constexpr std::size_t kOptionLengthAt = 80;
constexpr std::size_t kOptionsAt = 88;

TrainedModel small_model() {
  ConeOptions options = testing::small_options();
  options.layers = 2;
  options.dropout = 0.1;
  ConeModel<float> model(7, options);
  model.initialise(3);
  return {.options = options,
          .num_features = 7,
          .data_checksum = "0123456789abcdef0123456789abcdef",
          .outcome_mean = -2.5,
          .outcome_scale = 0.1,
          .parameters = model.parameters()};
}

class ModelFile : public ::testing::Test {
 protected:
  ModelFile() {
    write_model(folder.path() / "model", model);
    bytes = contents("model");
  }

  std::string contents(const std::string& name) const {
    std::ifstream in(folder.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  /// "read", or the text of the Error(kData). Anything else fails the test.
  std::string outcome_of(const std::string& file) const {
    try {
      read_model(folder.write("hostile", file));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kData) << error.what();
      for (const Fault& fault : error.faults()) EXPECT_FALSE(fault.advice.empty());
      EXPECT_NE(std::string(error.what()).find("hostile"), std::string::npos) << error.what();
      return error.what();
    }
    return "read";
  }

  void expect_outcome(const std::string& file, const std::string& part) const {
    const std::string outcome = outcome_of(file);
    EXPECT_NE(outcome.find(part), std::string::npos) << outcome;
  }

  /// Makes length and checksum fit again, as a stranger who means harm would.
  static std::string sealed(std::string file) {
    file.resize(file.size() - kChecksumDigits);
    put(file, kLengthAt, static_cast<std::uint64_t>(file.size() + kChecksumDigits));
    return file + Checksum().add_bytes(file.data(), file.size()).hex();
  }

  template <class T>
  static void put(std::string& file, std::size_t at, T value) {
    std::memcpy(file.data() + at, &value, sizeof value);
  }

  template <class T>
  void expect_after_putting(std::size_t at, T value, const std::string& part) const {
    std::string file = bytes;
    put(file, at, value);
    expect_outcome(sealed(file), part);
  }

  /// One piece of text in the file replaced by another, with the option length kept right.
  void expect_after_replacing(const std::string& from, const std::string& to,
                              const std::string& part) const {
    std::string file = bytes;
    const std::size_t at = file.find(from);
    ASSERT_NE(at, std::string::npos);
    const bool in_options = at < kOptionsAt + canonical_text(model.options).size();
    file.replace(at, from.size(), to);
    if (in_options) {
      put(file, kOptionLengthAt,
          static_cast<std::uint64_t>(canonical_text(model.options).size() + to.size() -
                                     from.size()));
    }
    expect_outcome(sealed(file), part);
  }

  testing::TemporaryFolder folder;
  TrainedModel model = small_model();
  std::string bytes;
};

TEST_F(ModelFile, GivesBackWhatWasWritten) {
  const TrainedModel read = read_model(folder.path() / "model");
  EXPECT_EQ(canonical_text(read.options), canonical_text(model.options));
  EXPECT_EQ(read.num_features, model.num_features);
  EXPECT_EQ(read.data_checksum, model.data_checksum);
  EXPECT_EQ(read.outcome_mean, model.outcome_mean);
  EXPECT_EQ(read.outcome_scale, model.outcome_scale);
  EXPECT_TRUE(std::ranges::equal(read.parameters.values(), model.parameters.values()));
  write_model(folder.path() / "again", read);
  EXPECT_EQ(contents("again"), bytes);
  EXPECT_EQ(sealed(bytes), bytes) << "the tests below change the right bytes";
}

TEST_F(ModelFile, ThatIsDamagedByAccidentIsRefused) {
  expect_outcome("", "is not a cone model file");
  expect_outcome("id,treatment\n", "is not a cone model file");
  expect_outcome("CONEMODL", "ends before the format version");
  expect_outcome(bytes.substr(0, 20), "ends before the length of the file");
  expect_outcome(bytes.substr(0, bytes.size() - 1), "bytes long and is");
  expect_outcome(bytes + "x", "bytes long and is");
  std::string flipped = bytes;
  flipped[flipped.size() - 100] ^= 1;
  expect_outcome(flipped, "checksum does not match");
  flipped = bytes;
  flipped.back() ^= 1;
  expect_outcome(flipped, "checksum does not match");
}

TEST_F(ModelFile, OfAnotherVersionIsRefusedWhateverFollows) {
  std::string file = bytes;
  put(file, kVersionAt, std::uint32_t{2});
  expect_outcome(file, "format version 2, this program reads 1");
  expect_outcome(sealed(file), "format version 2, this program reads 1");
}

TEST_F(ModelFile, WithAbsurdSizesIsRefusedBeforeMemoryIsAskedFor) {
  constexpr auto kHuge = std::numeric_limits<std::uint64_t>::max();
  expect_after_putting(kNumTensorsAt, std::uint32_t{0xffffffff}, "number of tensors is absurd");
  expect_after_putting(kNumTensorsAt, std::uint32_t{3}, "has 3 tensors and its options make");
  expect_after_putting(kNumFeaturesAt, kHuge, "number of features is absurd");
  expect_after_putting(kNumFeaturesAt, std::uint64_t{1} << 31, "tensor layer1.weight is 7 x 16");
  expect_after_putting(kOptionLengthAt, kHuge, "options are absurdly long");
  expect_after_putting(kOptionLengthAt, std::uint64_t{65000}, "ends before the options");
  const std::size_t table = kOptionsAt + canonical_text(model.options).size();
  expect_after_putting(table, std::uint32_t{0xffffffff}, "name of a tensor is absurdly long");
  const std::size_t shape = table + 4 + std::string("layer1.weight").size();
  expect_after_putting(shape, kHuge, "must be 7 x 16");
  expect_after_putting(shape + 8, std::uint64_t{17}, "is 7 x 17 and must be 7 x 16");
}

TEST_F(ModelFile, WithOptionsThatAreNoneIsRefused) {
  const std::string refused = "options are not those of a model";
  expect_after_replacing("heads=2", "heads=two", refused);
  expect_after_replacing("heads=2", "heads=02", refused);
  expect_after_replacing("heads=2", "heads=-2", refused);
  expect_after_replacing("heads=2\n", "", refused);
  expect_after_replacing("heads=2\n", "heads=2\nheads=2\n", refused);
  expect_after_replacing("self_loops=true", "self_loops=yes", refused);
  expect_after_replacing("heads=2", "heads=0", "--heads is 0, must be between 1 and 256");
  expect_after_replacing("heads=2", "heads=4000000000", "--heads is 4000000000");
  expect_after_replacing("gamma=1", "gamma=nan", "--gamma is nan");
  expect_after_replacing("heads=2", "heads=3", "must be 7 x 24");
  expect_after_replacing("layers=2", "layers=8", "tensors and its options make");
}

TEST_F(ModelFile, WithOtherTensorsOrNumbersIsRefused) {
  expect_after_replacing("layer1.bias", "layer1.bios", "'layer1.bios' in the place of layer1.bias");
  expect_after_replacing("layer1.bias", "layer1.b\0\x1bs", "in the place of layer1.bias");
  const std::size_t last_value = bytes.size() - kChecksumDigits - sizeof(float);
  expect_after_putting(last_value, std::numeric_limits<float>::quiet_NaN(),
                       "tensor critic.bias2 has a number that is not finite");
  expect_after_putting(last_value, std::numeric_limits<float>::infinity(), "not finite");
  expect_after_putting(kScaleAt, 0.0, "the scale of outcomes");
  expect_after_putting(kScaleAt, std::numeric_limits<double>::infinity(), "the scale of outcomes");
  expect_after_putting(kDataChecksumAt, '/', "checksum of the data is not hexadecimal");
  expect_outcome(sealed(bytes + "1234"), "and the file has");
  std::string shorter = bytes;
  shorter.resize(shorter.size() - 4);
  expect_outcome(sealed(shorter), "and the file has");
}

TEST_F(ModelFile, MutatedAnyhowIsReadOrRefusedWithAReason) {
  int num_read = 0;
  for (std::uint64_t number = 0; number < 3000; ++number) {
    std::string file = testing::mutate(bytes, number);
    if (number % 4 != 0 && file.size() > kOptionsAt + kChecksumDigits) file = sealed(file);
    if (outcome_of(file) == "read") ++num_read;
  }
  EXPECT_GT(num_read, 0) << "other weights are as good as any";
  EXPECT_LT(num_read, 3000);
}

TEST_F(ModelFile, ServesAsTheTrainedModelItWas) {
  const Dataset data = testing::tiny_network();
  ConeOptions options = testing::small_options();
  options.epochs = 3;
  const Context context(1, 2);
  const std::vector<NodeIndex> train = {0, 1, 2, 3, 4, 5, 6};
  const Representation trained = train_representation(context, data, options, train, {});
  write_model(folder.path() / "trained", trained.model);
  const TrainedModel read = read_model(folder.path() / "trained");
  EXPECT_EQ(read.data_checksum, data.checksum());
  const EncodedNodes encoded = encode_nodes(context, data, read);
  EXPECT_TRUE(std::ranges::equal(encoded.z_outcome.values(), trained.nodes.z_outcome.values()));
  EXPECT_THROW(encode_nodes(context, data, model), Error) << "seven features, not five";
}

}  // namespace
}  // namespace cone
