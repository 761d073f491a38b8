#include "cone/file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cone/error.hpp"

#include "base/hash.hpp"

namespace cone {
namespace {

class FileTest : public ::testing::Test {
 protected:
  FileTest()
      : folder(std::filesystem::temp_directory_path() /
               ("cone_file_test_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder);
  }
  ~FileTest() override { std::filesystem::remove_all(folder); }

  std::size_t num_entries() const {
    const auto begin = std::filesystem::directory_iterator(folder);
    return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
  }

  std::filesystem::path folder;
};

void write_text(const std::filesystem::path& path, const char* text) {
  write_atomically(path, [&](std::ostream& out) { out << text; });
}

TEST_F(FileTest, AFailedWriteLeavesTheOldFileAndNothingElse) {
  const auto path = folder / "result.json";
  write_atomically(path, [](std::ostream& out) { out << "old"; });
  EXPECT_THROW(write_atomically(path,
                                [](std::ostream& out) {
                                  out << "half";
                                  throw std::runtime_error("interrupted");
                                }),
               std::runtime_error);
  EXPECT_EQ(MappedFile(path).bytes(), "old");
  EXPECT_EQ(num_entries(), 1U);
}

TEST_F(FileTest, AFileKeepsThePermissionsOfTheOneItReplaces) {
  const auto path = folder / "private";
  write_text(path, "old");
  for (const mode_t mode : {0600U, 0640U, 0444U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    write_text(path, "new");
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, mode);
  }
}

TEST_F(FileTest, ALinkToNothingYetIsFollowed) {
  std::filesystem::create_symlink("further", folder / "link");
  std::filesystem::create_symlink("file", folder / "further");
  write_text(folder / "link", "text");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "further"));
  EXPECT_EQ(MappedFile(folder / "file").bytes(), "text");
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_THROW(write_text(folder / "circle", "text"), Error);
}

TEST_F(FileTest, AKilledProcessLeavesNothing) {
  const pid_t child = ::fork();
  if (child == 0) {
    write_atomically(folder / "result.json", [](std::ostream& out) {
      out << "half" << std::flush;
      ::raise(SIGKILL);
    });
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(num_entries(), 0U);
}

/// As a process that was killed just before the rename leaves it.
void leave_temporary(const std::filesystem::path& target) {
  std::ofstream(target.parent_path() /
                fmt::format(".cone-tmp-{:016x}-0", hash64(target.filename().native())))
      << "half";
}

TEST_F(FileTest, WhatAKilledProcessLeftGoesWithTheNextWriteToTheSameFile) {
  const auto path = folder / "result.json";
  leave_temporary(path);
  write_text(folder / "other", "text");
  EXPECT_EQ(num_entries(), 2U);  // the temporary of another file stays
  write_text(path, "whole");
  EXPECT_EQ(MappedFile(path).bytes(), "whole");
  EXPECT_EQ(num_entries(), 2U);
}

TEST_F(FileTest, AFolderIsSweptOfWhatKilledProcessesLeftAndOfNothingElse) {
  leave_temporary(folder / "a");
  leave_temporary(folder / "b");
  write_text(folder / "mine", "text");
  PendingFile busy(folder / "c");
  remove_abandoned_files(folder);
  EXPECT_EQ(num_entries(), 1U);
  busy.write([](std::ostream& out) { out << "text"; });
  EXPECT_EQ(num_entries(), 2U);
}

TEST_F(FileTest, APendingFileChangesNothingUntilItIsWritten) {
  const auto path = folder / "result.json";
  write_text(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  {
    const PendingFile dropped(path);
    EXPECT_EQ(dropped.error(), 0);
    EXPECT_EQ(MappedFile(path).bytes(), "old");
  }
  EXPECT_EQ(num_entries(), 1U);
  PendingFile file(path);
  std::filesystem::remove(path);
  file.write([](std::ostream& out) { out << "new"; });
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);  // those of the file that was there
}

TEST_F(FileTest, WhatCannotBeWrittenIsKnownBefore) {
  std::filesystem::create_symlink("circle", folder / "circle");
  write_text(folder / "file", "text");
  EXPECT_EQ(PendingFile(folder / std::string(256, 'n')).error(), ENAMETOOLONG);
  EXPECT_EQ(PendingFile(folder / "circle").error(), ELOOP);
  EXPECT_EQ(PendingFile(folder / "nowhere" / "x").error(), ENOENT);
  EXPECT_EQ(PendingFile(folder / "file" / "x").error(), ENOTDIR);
  EXPECT_EQ(PendingFile(folder).error(), EISDIR);
  EXPECT_THROW(PendingFile(folder).write([](std::ostream&) {}), Error);
  for (const int error : {ENAMETOOLONG, ELOOP, ENOENT, ENOTDIR, EISDIR, EACCES}) {
    EXPECT_TRUE(is_fault_of_path(error));
  }
  EXPECT_FALSE(is_fault_of_path(ENOSPC));
}

TEST_F(FileTest, AFolderThatIsRemovedMeanwhileIsAnErrorAndNothingStays) {
  std::filesystem::create_directory(folder / "inner");
  PendingFile file(folder / "inner" / "result.json");
  std::filesystem::remove_all(folder / "inner");
  EXPECT_THROW(file.write([](std::ostream& out) { out << "text"; }), Error);
  EXPECT_EQ(num_entries(), 0U);
}

TEST_F(FileTest, APipeThatNobodyReadsYetDoesNotHoldUpTheStart) {
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  PendingFile file(pipe);
  EXPECT_EQ(file.error(), 0);
  std::string received;
  std::thread reader([&] { std::getline(std::ifstream(pipe), received); });
  file.write([](std::ostream& out) { out << "through"; });
  reader.join();
  EXPECT_EQ(received, "through");
}

TEST_F(FileTest, WhatAnotherProcessIsWritingIsLeftAlone) {
  const auto path = folder / "result.json";
  write_atomically(path, [&](std::ostream& out) {
    out << "sl" << std::flush;
    write_text(path, "quick");
    EXPECT_EQ(MappedFile(path).bytes(), "quick");
    out << "ow";
  });
  EXPECT_EQ(MappedFile(path).bytes(), "slow");
  EXPECT_EQ(num_entries(), 1U);
}

TEST_F(FileTest, NamesAsLongAsTheyMayBeCanBeWritten) {
  const auto path = folder / std::string(255, 'n');
  write_text(path, "text");
  EXPECT_EQ(MappedFile(path).bytes(), "text");
}

TEST_F(FileTest, MappingAPipeIsRefusedAtOnce) {
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  try {
    const MappedFile mapped(pipe);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kData);
    EXPECT_NE(std::string(error.what()).find("pipe"), std::string::npos);
  }
  EXPECT_THROW(MappedFile("/dev/zero"), Error);
}

TEST_F(FileTest, WritingFollowsLinksAndLeavesPipesWhatTheyAre) {
  const auto file = folder / "file";
  std::filesystem::create_symlink(file, folder / "link");
  write_atomically(file, [](std::ostream& out) { out << "old"; });
  write_atomically(folder / "link", [](std::ostream& out) { out << "new"; });
  EXPECT_EQ(MappedFile(file).bytes(), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));

  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { std::getline(std::ifstream(pipe), received); });
  write_atomically(pipe, [](std::ostream& out) { out << "through"; });
  reader.join();
  EXPECT_EQ(received, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST_F(FileTest, PathsThatCannotBeLookedAtAreMissing) {
  EXPECT_EQ(path_kind(folder), PathKind::kFolder);
  EXPECT_EQ(path_kind(folder / std::string(5000, 'x')), PathKind::kMissing);
  EXPECT_EQ(path_kind("/dev/null"), PathKind::kOther);
}

TEST_F(FileTest, WritingIntoAMissingFolderIsAnErrorThatNamesTheFile) {
  try {
    write_atomically(folder / "nowhere" / "x", [](std::ostream&) {});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kIo);
    EXPECT_NE(std::string(error.what()).find("nowhere"), std::string::npos);
  }
}

TEST_F(FileTest, MappingRefusesFoldersAndMissingFilesAndAllowsEmptyOnes) {
  EXPECT_THROW(MappedFile(folder / "missing"), Error);
  EXPECT_THROW(MappedFile{folder}, Error);
  std::ofstream(folder / "empty").close();
  EXPECT_TRUE(MappedFile(folder / "empty").bytes().empty());
}

TEST(Checksum, TellsBoundariesApart) {
  const auto of = [](std::string_view a, std::string_view b) {
    return Checksum().add(a).add(b).hex();
  };
  EXPECT_NE(of("ab", "c"), of("a", "bc"));
  EXPECT_EQ(of("ab", "c"), of("ab", "c"));
  EXPECT_EQ(of("ab", "c").size(), 32U);
}

}  // namespace
}  // namespace cone
