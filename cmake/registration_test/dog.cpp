/// Forgets to register itself.
namespace animals {
struct Dog {};
}  // namespace animals
