# tests/long_tests.txt: read_long_tests(FILE) sets cost_of_NAME in the caller, and
# find_test_cost(NAME OUT) says what ctest should start first.
macro(read_long_tests file)
  file(STRINGS ${file} long_lines REGEX "^[^#]")
  foreach(long_line IN LISTS long_lines)
    if(NOT long_line MATCHES "^([^ ]+) +([0-9]+)$")
      message(FATAL_ERROR "${file}: '${long_line}' is not a test and its seconds")
    endif()
    set(cost_of_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
  endforeach()
endmacro()

function(find_test_cost name out)
  set(cost 0)
  if(DEFINED cost_of_${name})
    set(cost ${cost_of_${name}})
  endif()
  set(${out} ${cost} PARENT_SCOPE)
endfunction()
