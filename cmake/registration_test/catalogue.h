#pragma once
namespace animals {
struct Catalogue {
  int n = 0;
};
void register_all(Catalogue& catalogue);
}  // namespace animals
