"""Renders one field of a result to a PNG, without a screen. Runs in ParaView's Python:

    xvfb-run -a -s -noreset pvbatch scripts/render_field.py runs/burgers/fields.pvd u docs/images/burgers.png
    ... [--time T] [--size 1200x640] [--colors "Cool to Warm"] [--range MIN,MAX]

Without -noreset the X server now and then restarts between two of ParaView's connections, and pvbatch aborts.

Reads .pvd, .vti, .vtu and .vtr. A field over one space dimension and time is drawn as a picture over both, with time
upwards. Otherwise the picture shows the last time, or the one nearest to --time, seen from above in two dimensions.
"""

import argparse
import os
import sys

import vtk
from paraview import servermanager, simple


def point_data(reader, field, time):
    reader.UpdatePipeline(time)
    data = servermanager.Fetch(reader)
    values = data.GetPointData().GetArray(field)
    if values is None:
        names = [data.GetPointData().GetArrayName(i) for i in range(data.GetPointData().GetNumberOfArrays())]
        sys.exit(f"render_field: no point field '{field}'; there are: {', '.join(names) or 'none'}")
    return data, values


def used_axes(bounds):
    return [axis for axis in range(3) if bounds[2 * axis + 1] > bounds[2 * axis]]


def space_time_grid(reader, field, times, axis):
    """A rectilinear grid of the coordinate `axis` by time that holds the field at all times."""
    coordinates, steps, stacked = vtk.vtkDoubleArray(), vtk.vtkDoubleArray(), vtk.vtkDoubleArray()
    stacked.SetName(field)
    for time in times:
        data, values = point_data(reader, field, time)
        order = sorted(range(data.GetNumberOfPoints()), key=lambda i: data.GetPoint(i)[axis])
        if steps.GetNumberOfTuples() == 0:
            for i in order:
                coordinates.InsertNextValue(data.GetPoint(i)[axis])
        elif len(order) != coordinates.GetNumberOfTuples():
            sys.exit(f"render_field: the number of points changes at time {time}")
        steps.InsertNextValue(time)
        for i in order:
            stacked.InsertNextValue(values.GetComponent(i, 0))
    grid = vtk.vtkRectilinearGrid()
    grid.SetDimensions(coordinates.GetNumberOfTuples(), steps.GetNumberOfTuples(), 1)
    grid.SetXCoordinates(coordinates)
    grid.SetYCoordinates(steps)
    grid.GetPointData().AddArray(stacked)
    return grid


def load(path, field, time):
    """The source to draw, its bounds, the titles of its axes and the time shown (None: all times, or no time)."""
    reader = simple.OpenDataFile(path)
    if reader is None:
        sys.exit(f"render_field: ParaView has no reader for '{path}'")
    times = list(getattr(reader, "TimestepValues", None) or [])
    shown = min(times, key=lambda t: abs(t - time)) if times and time is not None else (times[-1] if times else None)
    data, _ = point_data(reader, field, shown if shown is not None else 0.0)
    axes = used_axes(data.GetBounds())
    if len(times) > 1 and len(axes) == 1 and time is None:
        grid = space_time_grid(reader, field, times, axes[0])
        source = simple.TrivialProducer()
        source.GetClientSideObject().SetOutput(grid)
        return source, grid.GetBounds(), ["xyz"[axes[0]], "t", ""], None
    return reader, data.GetBounds(), ["x", "y", "z"], shown


def draw(arguments):
    source, bounds, titles, time = load(arguments.file, arguments.field, arguments.time)
    view = simple.CreateView("RenderView")
    view.ViewSize = arguments.size
    view.Background = [1, 1, 1]
    view.UseColorPaletteForBackground = 0
    view.OrientationAxesVisibility = 0
    if time is not None:
        view.ViewTime = time

    display = simple.Show(source, view)
    display.SetRepresentationType("Surface")
    flat = len(used_axes(bounds)) < 3
    if flat:  # no lamp: the colours are those of the bar
        display.Ambient, display.Diffuse, display.Specular = 1, 0, 0
    simple.ColorBy(display, ("POINTS", arguments.field))
    colors = simple.GetColorTransferFunction(arguments.field)
    colors.ApplyPreset(arguments.colors, True)
    if arguments.range:
        colors.RescaleTransferFunction(*arguments.range)
    else:
        display.RescaleTransferFunctionToDataRange(False, True)

    black = [0, 0, 0]
    bar = simple.GetScalarBar(colors, view)
    bar.Title, bar.ComponentTitle = arguments.field, ""
    bar.TitleColor = bar.LabelColor = black
    bar.TitleFontSize, bar.LabelFontSize = 20, 16
    bar.WindowLocation, bar.Position, bar.ScalarBarLength = "Any Location", [0.9, 0.2], 0.6
    bar.HorizontalTitle, bar.AddRangeLabels = 1, 0
    display.SetScalarBarVisibility(view, True)
    axes = display.DataAxesGrid
    axes.GridAxesVisibility = 1
    if flat:
        axes.AxesToLabel = 7  # the lower edges only
    axes.XTitle, axes.YTitle, axes.ZTitle = [t and f"{t}   " for t in titles] if flat else titles  # clear of the labels
    for axis in "XYZ":
        for part in ("Title", "Label"):
            setattr(axes, f"{axis}{part}Color", black)
            setattr(axes, f"{axis}{part}FontSize", 18 if part == "Title" else 14)

    view.ResetCamera()
    if flat:
        view.CameraParallelProjection = 1
        width, height = bounds[1] - bounds[0], bounds[3] - bounds[2]
        # Room for the axes' labels and, at the right, for the colour bar.
        view.CameraParallelScale = 0.64 * max(height, 1.08 * width * arguments.size[1] / arguments.size[0])
        shift = 0.08 * width
        center = [(bounds[0] + bounds[1]) / 2 + shift, (bounds[2] + bounds[3]) / 2, 0]
        view.CameraFocalPoint = center
        view.CameraPosition = [center[0], center[1], center[2] + 10 * max(width, height)]
        view.CameraViewUp = [0, 1, 0]
    else:
        simple.GetActiveCamera().Azimuth(30)
        simple.GetActiveCamera().Elevation(25)
        simple.GetActiveCamera().Zoom(1.3)
    part = arguments.out[: -len(".png")] + ".part.png"
    simple.SaveScreenshot(part, view, ImageResolution=arguments.size)
    os.replace(part, arguments.out)


def main():
    parser = argparse.ArgumentParser(description="Renders one field of a result to a PNG.")
    parser.add_argument("file")
    parser.add_argument("field")
    parser.add_argument("out")
    parser.add_argument("--time", type=float, help="draw the step nearest to this time")
    parser.add_argument("--size", type=lambda s: [int(n) for n in s.split("x")], default=[1200, 640])
    parser.add_argument("--colors", default="Cool to Warm", help="name of one of ParaView's colour maps")
    parser.add_argument("--range", type=lambda s: [float(n) for n in s.split(",")], help="MIN,MAX of the colours")
    arguments = parser.parse_args()
    if not arguments.out.endswith(".png"):
        parser.error("the picture's name must end with .png")
    if not os.path.isfile(arguments.file):
        parser.error(f"no such file: {arguments.file}")
    draw(arguments)


if __name__ == "__main__":
    main()
