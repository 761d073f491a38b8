#pragma once

#include <memory>

#include <pybind11/pybind11.h>

#include "dataset.hpp"

namespace cone::python {

/// The content of a dataset as texts and arrays, for pickle and copy.deepcopy. Nothing is read
/// again: another process gets the same data even if the file is missing or has changed.
py::dict get_state(const DatasetHandle& handle);

/// Throws Error(kData) for a state of another version, or one whose parts do not fit together.
std::unique_ptr<DatasetHandle> set_state(const py::dict& state);

}  // namespace cone::python
