#include "science/io/vtk_session.h"

#include <vtkLogger.h>
#include <vtkObjectFactory.h>
#include <vtkOutputWindow.h>
#include <vtkSmartPointer.h>

namespace eddy::io {

namespace {

std::mutex session_mutex;

class Collector : public vtkOutputWindow {
 public:
  static Collector* New();
  vtkTypeMacro(Collector, vtkOutputWindow);

  void DisplayText(const char* text) override {
    if (!text_.empty()) text_ += "; ";
    text_ += text;
  }
  std::string text_;
};
vtkStandardNewMacro(Collector);

vtkSmartPointer<Collector> collector;

/// "ERROR: In file, line n\nclass (0x...): what" -> "what" with single spaces, for each message.
std::string shortened(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find("; ERROR: In ", at);
    end = std::min(end, text.size());
    std::string message = text.substr(at, end - at);
    const std::size_t body = message.find("): ");
    if (body != std::string::npos) message = message.substr(body + 3);
    for (char& c : message) c = c == '\n' ? ' ' : c;
    while (!message.empty() && message.back() == ' ') message.pop_back();
    if (result.find(message) == std::string::npos) result += (result.empty() ? "" : "; ") + message;
    at = end + 2;
  }
  return result;
}

}  // namespace

VtkSession::VtkSession() : lock_(session_mutex) {
  vtkLogger::SetStderrVerbosity(vtkLogger::VERBOSITY_OFF);
  collector = vtkSmartPointer<Collector>::New();
  vtkOutputWindow::SetInstance(collector);
}

VtkSession::~VtkSession() {
  vtkOutputWindow::SetInstance(nullptr);
  collector = nullptr;
}

std::string VtkSession::messages() const { return shortened(collector->text_); }

}  // namespace eddy::io
