#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cone/error.hpp"
#include "cone/load.hpp"

#include "support/temporary_folder.hpp"

namespace cone::testing {

using Files = std::map<std::string, std::string>;

/// A small folder in which every kind of column and file occurs.
inline Files valid_files() {
  return {
      {"nodes.csv",
       "id,treatment,outcome,age,propensity,mu0,mu1,y0,y1,\"height, cm\"\n"
       "a,0,1.5,30,0.25,1,2,1.5,2.5,0\n"
       "b,1,-2e-3,0,0.5,1,2,-1,-2e-3,180.5\n"
       "\"c,d\",1.0, 7 ,41,1,1,2,6,7,-1\n"
       "\xC3\xA9,0.0,+4,0,0,1,2,4,5,0\n"},
      {"edges.csv", "source,target\na,b\nb,a\n\"c,d\",b\na,a\n\xC3\xA9,a\n"},
      {"features.csv",
       "node,feature,value\nb,word two,2\na,word one,1\nb,word one,0.5\n\"c,d\",zero,0\n"},
  };
}

inline void write_files(const TemporaryFolder& folder, const Files& files) {
  for (const auto& [name, text] : files) folder.write(name, text);
}

inline LoadedData load_files(const Files& files, const LoadOptions& options = {},
                             int num_threads = 2) {
  const TemporaryFolder folder;
  write_files(folder, files);
  return load_dataset(Context({.threads = num_threads}), folder.path(), options);
}

/// The faults of the error, one per line, file names without their folder.
template <class Action>
std::vector<std::string> faults_of(const Action& action) {
  std::vector<std::string> texts;
  try {
    action();
  } catch (const Error& error) {
    for (Fault fault : error.faults()) {
      fault.place.file = std::filesystem::path(fault.place.file).filename().string();
      texts.push_back(fault.to_string());
    }
    if (error.num_unlisted() > 0) texts.push_back(std::to_string(error.num_unlisted()) + " more");
  }
  return texts;
}

}  // namespace cone::testing
