#pragma once

// Defines `function`_float and `function`_double, which HWY_EXPORT can name, from a template over
// the precision. To be used per target, next to the template.
#define CONE_OPS_FOR_BOTH_PRECISIONS(function, Arguments)                                          \
  void function##_float(const Arguments<float>& arguments, std::size_t begin, std::size_t end) {   \
    function(arguments, begin, end);                                                               \
  }                                                                                                \
  void function##_double(const Arguments<double>& arguments, std::size_t begin, std::size_t end) { \
    function(arguments, begin, end);                                                               \
  }

// Calls the version for the precision Real on the best target of this machine.
#define CONE_OPS_DISPATCH(Real, function, arguments, begin, end)    \
  if constexpr (sizeof(Real) == sizeof(float)) {                    \
    HWY_DYNAMIC_DISPATCH(function##_float)(arguments, begin, end);  \
  } else {                                                          \
    HWY_DYNAMIC_DISPATCH(function##_double)(arguments, begin, end); \
  }
