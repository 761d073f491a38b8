#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Errors: every fault has a place, a reason and advice. The version of the library.

namespace cone {

/// What is at fault: the arguments (kUsage), the data (kData), the system (kIo) or the library
/// (kInternal). The command line turns the first two into exit status 2 and the others into 1.
enum class ErrorCode { kUsage, kData, kIo, kInternal };

/// Where a fault is. Every part is optional; lines count from 1 and include the header.
struct Place {
  std::string file;
  std::uint64_t line = 0;
  std::string column;
  std::string item;  ///< a node id, a variable of a .mat file, a flag

  /// "nodes.csv:12, column outcome (u17)"
  std::string to_string() const;
};

/// One thing that is wrong: what, where, and what to do about it.
struct Fault {
  Place place;
  std::string what;
  std::string advice;

  std::string to_string() const;
};

/// The one exception type of the library. Carries every fault that was found, not just the first.
class Error : public std::exception {
 public:
  Error(ErrorCode code, Fault fault);
  Error(ErrorCode code, std::vector<Fault> faults, std::uint64_t num_unlisted = 0);

  ErrorCode code() const noexcept { return code_; }
  const std::vector<Fault>& faults() const noexcept { return faults_; }
  /// Faults of kinds that are not listed at all, so that a file with a thousand mistakes stays
  /// readable.
  std::uint64_t num_unlisted() const noexcept { return num_unlisted_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorCode code_;
  std::vector<Fault> faults_;
  std::uint64_t num_unlisted_;
  std::string message_;
};

/// Throws Error(kInternal) unless `condition` holds: for invariants of the library.
void require(bool condition, const char* what);

/// Thrown where an observer asked to stop, by whatever takes a Context. It is an outcome of a run,
/// not a fault, and therefore not an Error. evaluate() catches it: it returns what was finished,
/// and a status.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

/// Collects faults while a loader goes on reading. Keeps the first few of each kind, two dozen in
/// all, and counts the rest: one systematic mistake does not hide the others, and the message stays
/// short enough to be read.
class FaultList {
 public:
  static constexpr std::uint64_t kListedPerKind = 3;
  static constexpr std::uint64_t kListed = 24;

  /// `kind` groups faults of one cause ("treatment", "unknown id").
  void add(const std::string& kind, Fault fault);
  /// Whether one more fault of a kind would be listed: a loader need not word those that would not.
  bool has_room(const std::string& kind) const;
  /// Counts `count` faults of a kind without describing them.
  void add_unlisted(const std::string& kind, std::uint64_t count);
  /// Appends all of `other`, keeping the limit per kind.
  void merge(const FaultList& other);

  bool empty() const { return total_ == 0; }
  std::uint64_t total() const { return total_; }
  const std::vector<Fault>& listed() const { return listed_; }
  const std::vector<std::string>& kinds() const { return kinds_; }  ///< of the listed ones
  const std::map<std::string, std::uint64_t>& count_by_kind() const { return count_by_kind_; }

  /// Throws one Error with everything collected, if anything was. The last listed fault of a kind
  /// says how many more there are of it; `num_unlisted` of the error counts the other kinds only.
  void throw_if_any(ErrorCode code) const;

 private:
  std::vector<Fault> listed_;
  std::vector<std::string> kinds_;  // of listed_, for merge
  std::map<std::string, std::uint64_t> count_by_kind_;
  std::uint64_t total_ = 0;
};

extern const std::string_view kVersion;

/// 16 hexadecimal digits over the library's sources: part of every run's identity, so that results
/// of other code are never mixed with results of this.
std::string_view source_revision();

/// The commit this was built from, with "-dirty" where the tree had changes; "unknown" outside a
/// repository. For readers: it is in every record and in no identity.
std::string_view build_commit();

}  // namespace cone
