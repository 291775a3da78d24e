/// Tells the leak checker of sanitizer builds what the libraries lose: VTK's legacy reader drops arrays, a cell array
/// among them, when a file ends too early. Unused elsewhere.
extern "C" const char* __lsan_default_suppressions();  // NOLINT: the checker's name
extern "C" const char* __lsan_default_suppressions() { return "leak:libvtkIOLegacy\nleak:vtkCellArray::New\n"; }
