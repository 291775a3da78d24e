#include "catalogue.h"
int main() {
  animals::Catalogue catalogue;
  animals::register_all(catalogue);
  return catalogue.n;
}
