#include "catalogue.h"
namespace animals {
void register_animal_cat(Catalogue& catalogue) { ++catalogue.n; }
}  // namespace animals
