# Writes OUTPUT, a C++ source with the revision and the commit, unless it is up to date:
# cmake -DSOURCE_DIR=... -DOUTPUT=... -P write_build_info.cmake. Runs at every build.
#
# The revision is a checksum over the sources of the libraries: builds with the same revision compute the
# same results, whatever else changed in the repository. The commit is for human readers.

file(GLOB_RECURSE sources RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/src/*.cpp ${SOURCE_DIR}/src/*.hpp
     ${SOURCE_DIR}/include/*.hpp ${SOURCE_DIR}/lab/*.cpp ${SOURCE_DIR}/lab/*.hpp)
list(SORT sources)
set(listing "")
foreach(source IN LISTS sources)
  file(SHA256 ${SOURCE_DIR}/${source} checksum)
  string(APPEND listing "${checksum} ${source}\n")
endforeach()
string(SHA256 revision "${listing}")
string(SUBSTRING "${revision}" 0 16 revision)

set(commit "unknown")
find_program(git_program git)
if(git_program)
  execute_process(COMMAND ${git_program} describe --always --dirty --abbrev=12 --match=
                  WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE described
                  RESULT_VARIABLE failure ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failure)
    set(commit "${described}")
  endif()
endif()

set(content "#include \"cone/error.hpp\"

namespace cone {

std::string_view source_revision() { return \"${revision}\"; }
std::string_view build_commit() { return \"${commit}\"; }

}  // namespace cone
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL content)
  file(WRITE ${OUTPUT} "${content}")
endif()
