#include "science/io/hdf5_handle.h"

#include <hdf5.h>
#include <type_traits>

namespace eddy::io {

static_assert(std::is_same_v<hid_t, Hdf5Id> && std::is_same_v<herr_t, int>);

namespace {
std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

herr_t collect(unsigned, const H5E_error2_t* entry, void* data) {
  auto& text = *static_cast<std::string*>(data);
  if (!entry->desc || !*entry->desc) return 0;
  // The innermost entry (walked first) says what happened, but one that carries the system's error says it better.
  const std::string line = entry->desc;
  if (text.empty() || (line.find("errno") != std::string::npos && text.find("errno") == std::string::npos)) text = line;
  return 0;
}
}  // namespace

Hdf5Session::Hdf5Session() : lock_(library_mutex()) { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

std::string hdf5_error_text() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &text);
  H5Eclear2(H5E_DEFAULT);
  return text.empty() ? "no reason given" : text;
}

}  // namespace eddy::io
