// Files that another process changes in place, at the same size, while they are read: what a first
// pass counted no longer holds in the next one. A reader may refuse such a file or take it, but it
// never writes outside of what it counted. AddressSanitizer sees the rest.

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cone/error.hpp"
#include "cone/load.hpp"

#include "data/csv.hpp"
#include "data/dataset_folder.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

using testing::faults_of;
using testing::Files;
using testing::TemporaryFolder;

constexpr std::size_t kLines = 400;

/// A dataset of a few hundred nodes in which every kind of file occurs. With category columns the
/// node table is read three times.
Files many_lines() {
  Files files = {{"nodes.csv", "id,treatment,outcome,age,city,village\n"},
                 {"edges.csv", "source,target\n"},
                 {"features.csv", "node,feature,value\n"}};
  for (std::size_t i = 0; i < kLines; ++i) {
    const std::string id = "node" + std::to_string(1000 + i);
    const std::string other = "node" + std::to_string(1000 + (7 * i + 1) % kLines);
    files["nodes.csv"] += id + "," + std::to_string(i % 2) + "," + std::to_string(i % 13) + "." +
                          std::to_string(i % 7) + "," + std::to_string(20 + i % 50) + "," +
                          (i % 3 == 0 ? "Rome" : "Oslo") + ",v" + std::to_string(i % 20) + "\n";
    files["edges.csv"] += id + "," + other + "\n";
    files["features.csv"] += id + ",word" + std::to_string(i % 30) + ",1\n";
  }
  return files;
}

std::string policy_lines() {
  std::string text = "id,p\n";
  for (std::size_t i = 0; i < kLines; ++i) {
    text += "node" + std::to_string(1000 + i) + ",0." + std::to_string(10 + i % 90) + "\n";
  }
  return text;
}

/// Writes `text` over the end of a file: the same file, of the same size.
void write_over_end(const std::filesystem::path& path, const std::string& text) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-static_cast<std::streamoff>(text.size()), std::ios::end);
  file << text;
}

/// Changes a file when a phase has begun.
class Meddler : public ProgressObserver {
 public:
  Meddler(std::string phase, std::function<void()> change)
      : phase_(std::move(phase)), change_(std::move(change)) {}
  bool update(std::string_view phase, std::uint64_t, std::uint64_t) override {
    if (phase == phase_ && !std::exchange(has_changed, true)) change_();
    return true;
  }
  bool has_changed = false;

 private:
  std::string phase_;
  std::function<void()> change_;
};

LoadOptions small_chunks() {
  LoadOptions options;
  options.cluster = "village";
  options.csv.chunk_bytes = 256;
  return options;
}

struct Change {
  const char* phase;
  const char* file;
  std::string end;  ///< written over the last bytes of the file
};

TEST(ChangingFiles, ALineMoreOrLessThanCountedIsRefusedInEveryReader) {
  const std::string more_lines(3000, '\n');
  const std::string one_line(3000, '1');
  const std::string other_levels = [] {
    std::string text;
    while (text.size() < 3000) text += "node9999,1,1.5,33,Bern,v1\n";
    return text;
  }();
  for (const Change& change : {Change{"reading nodes", "nodes.csv", more_lines},
                               Change{"reading nodes", "nodes.csv", one_line},
                               Change{"reading categories", "nodes.csv", more_lines},
                               Change{"encoding features", "nodes.csv", more_lines},
                               Change{"encoding features", "nodes.csv", one_line},
                               Change{"encoding features", "nodes.csv", other_levels},
                               Change{"reading edges", "edges.csv", more_lines},
                               Change{"reading edges", "edges.csv", one_line},
                               Change{"reading features", "features.csv", more_lines},
                               Change{"reading features", "features.csv", one_line}}) {
    const TemporaryFolder folder;
    testing::write_files(folder, many_lines());
    Meddler meddler(change.phase, [&] { write_over_end(folder.path() / change.file, change.end); });
    const auto faults = faults_of([&] {
      load_dataset(Context({.threads = 1, .progress = &meddler}), folder.path(), small_chunks());
    });
    EXPECT_TRUE(meddler.has_changed) << change.phase;
    ASSERT_EQ(faults.size(), 1U) << change.phase << " " << change.end.substr(0, 5);
    EXPECT_EQ(faults[0].find(std::string(change.file) + ": changed while it was read"), 0U)
        << faults[0];
  }
}

TEST(ChangingFiles, APolicyThatChangesIsRefused) {
  const TemporaryFolder folder;
  testing::write_files(folder, many_lines());
  const LoadedData data = load_dataset(Context({.threads = 1}), folder.path(), small_chunks());
  for (const std::string& end : {std::string(3000, '\n'), std::string(3000, '1')}) {
    const auto path = folder.write("policy.csv", policy_lines());
    Meddler meddler("reading policies", [&] { write_over_end(path, end); });
    const auto faults = faults_of([&] {
      load_policy_table(Context({.threads = 1, .progress = &meddler}), path, data.observed,
                        small_chunks().csv);
    });
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].find("policy.csv: changed while it was read"), 0U) << faults[0];
  }
}

/// Changes bytes of a file through a shared mapping for as long as it lives.
class Attacker {
 public:
  explicit Attacker(const std::filesystem::path& path)
      : size_(std::filesystem::file_size(path)), file_(::open(path.c_str(), O_RDWR)) {
    void* mapped = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (mapped == MAP_FAILED) throw std::runtime_error("mmap");
    bytes_ = static_cast<char*>(mapped);
    thread_ = std::thread([this] { work(); });
  }
  ~Attacker() {
    stop_ = true;
    thread_.join();
    ::munmap(bytes_, size_);
    ::close(file_);
  }
  Attacker(const Attacker&) = delete;
  Attacker& operator=(const Attacker&) = delete;

 private:
  void work() {
    const std::string original(bytes_, size_);
    const std::size_t body = original.find('\n') + 1;
    std::mt19937_64 random(1);
    constexpr std::string_view kBytes = "\n\n\n\",1a";
    while (!stop_) {
      // A burst of damage, then whole again, so that the next reading gets far.
      for (int k = 0; k < 200; ++k) {
        volatile char* const byte = bytes_ + body + random() % (size_ - body);
        *byte = kBytes[random() % kBytes.size()];
      }
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
      for (std::size_t i = body; i < size_; ++i)
        static_cast<volatile char*>(bytes_)[i] = original[i];
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 1500));
    }
  }

  std::size_t size_;
  int file_;
  char* bytes_ = nullptr;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

/// Reads again and again while the file changes. The only error allowed is Error(kData).
void read_under_attack(const std::filesystem::path& path, const std::function<void()>& read) {
  const Attacker attacker(path);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  int num_runs = 0;
  for (; std::chrono::steady_clock::now() < end; ++num_runs) {
    try {
      read();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kData) << error.what();
    }
  }
  EXPECT_GT(num_runs, 0);
}

TEST(ChangingFiles, AWriterWithinTheFileNeverBreaksAReader) {
  const TemporaryFolder folder;
  testing::write_files(folder, many_lines());
  const Context context({.threads = 2});
  const LoadedData data = load_dataset(context, folder.path(), small_chunks());
  const auto load = [&] { load_dataset(context, folder.path(), small_chunks()); };
  for (const char* file : {"nodes.csv", "edges.csv", "features.csv"}) {
    SCOPED_TRACE(file);
    read_under_attack(folder.path() / file, load);
  }
  const auto policy = folder.write("policy.csv", policy_lines());
  SCOPED_TRACE("policy.csv");
  read_under_attack(policy,
                    [&] { load_policy_table(context, policy, data.observed, small_chunks().csv); });
}

}  // namespace
}  // namespace cone
