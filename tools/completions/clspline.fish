# Completion of clspline for fish, made by generate.py.

# Whether the words before are those of a subcommand and others.
function __clspline_at
    set -l before (commandline -opc)
    set -l last (math 1 + (count $argv))
    test (count $before) -ge $last
    and test "$before[2..$last]" = "$argv"
end

# Files with one of the endings.
function __clspline_files
    for ending in $argv
        __fish_complete_suffix .$ending
    end
end

# Whether there are so many words before.
function __clspline_behind
    test (count (commandline -opc)) -eq $argv[1]
end

complete -c clspline -f
complete -c clspline -n '__clspline_behind 1' -s h -l help -d 'print a help text'
complete -c clspline -n '__clspline_behind 1' -s V -l version -d 'print the version'
complete -c clspline -n '__clspline_behind 1' -a bezier \
    -d 'evaluate the Bezier patches of a BezierView file into a mesh or picture'
complete -c clspline -n '__clspline_behind 1' -a bspline \
    -d 'evaluate the B-splines of .g2, JSON, IGES and STEP files into a mesh or picture'
complete -c clspline -n '__clspline_behind 2; and __clspline_at bspline' -a eval \
    -d 'evaluate the B-splines of .g2, JSON, IGES and STEP files into a mesh or picture'
complete -c clspline -n '__clspline_behind 2; and __clspline_at bspline' -a bezier \
    -d 'cut the B-splines of .g2, JSON, IGES and STEP files into Bezier pieces'
complete -c clspline -n '__clspline_behind 1' -a image \
    -d 'turn, scale and move an image or a volume'
complete -c clspline -n '__clspline_behind 1' -a project \
    -d 'find the nearest points of curves or surfaces to points, and their parameters'
complete -c clspline -n '__clspline_behind 1' -a solid \
    -d 'evaluate the Catmull-Clark solid of a mesh of cells, or cut it'
complete -c clspline -n '__clspline_behind 1' -a view \
    -d 'look at patches, splines and solids in a window, or draw them by OpenGL'
complete -c clspline -n '__clspline_behind 1' -a join \
    -d 'make one file of the parts that --part has made'
complete -c clspline -n '__clspline_behind 1' -a info \
    -d 'tell what files hold: patches, splines, cells, images or points'
complete -c clspline -n '__clspline_behind 1' -a tune \
    -d 'measure the processors, for evaluations shared between them'
complete -c clspline -n '__clspline_behind 1' -a devices \
    -d 'list the devices, or the kernels as compiled for one of them'

complete -c clspline -n '__clspline_at bezier' -k \
    -a '(__clspline_files bv)'
complete -c clspline -n '__clspline_at bezier' -s o -l output -r -F \
    -d 'where to write'
complete -c clspline -n '__clspline_at bezier' -s f -l format -x \
    -a 'obj ply vtk stl glb png' \
    -d 'the format of -o -'
complete -c clspline -n '__clspline_at bezier' -s n -l samples -x \
    -d 'points along each direction of a patch, 2 to 16384'
complete -c clspline -n '__clspline_at bezier' -s t -l tolerance -x \
    -d 'as many points for each patch as keep its triangles within E ..'
complete -c clspline -n '__clspline_at bezier' -l method -x \
    -a 'auto separable multilevel matrix brute' \
    -d 'how points are computed, to compare'
complete -c clspline -n '__clspline_at bezier' -l normals \
    -d 'write normals of the vertices too'
complete -c clspline -n '__clspline_at bezier' -l texture \
    -d 'write texture coordinates, the parameters u and v'
complete -c clspline -n '__clspline_at bezier' -s p -l precision -x \
    -a 'f32 f64' \
    -d 'numbers to compute with'
complete -c clspline -n '__clspline_at bezier' -s d -l device -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'which device'
complete -c clspline -n '__clspline_at bezier' -l up -x \
    -a 'auto x y z -x -y -z' \
    -d 'axis or direction that points up'
complete -c clspline -n '__clspline_at bezier' -l azimuth -x \
    -d 'seen from the right of the front of the wider side'
complete -c clspline -n '__clspline_at bezier' -l elevation -x \
    -d 'seen from above the horizon'
complete -c clspline -n '__clspline_at bezier' -l camera-direction -x \
    -d 'instead of both, the direction in which the camera looks'
complete -c clspline -n '__clspline_at bezier' -l camera-orthographic \
    -d 'without perspective'
complete -c clspline -n '__clspline_at bezier' -l zoom -x \
    -d 'how much larger than what fills the picture, 0.01 to 100'
complete -c clspline -n '__clspline_at bezier' -l background -x \
    -a 'auto' \
    -d 'colour behind the mesh'
complete -c clspline -n '__clspline_at bezier' -l no-background \
    -d 'nothing behind the mesh'
complete -c clspline -n '__clspline_at bezier' -l size -x \
    -d 'pixels of a picture'
complete -c clspline -n '__clspline_at bezier' -l coloring -x \
    -a 'plain patch mean gauss distance' \
    -d 'what surfaces are coloured by'
complete -c clspline -n '__clspline_at bezier' -l distance-to -r -F \
    -d 'of --coloring distance'
complete -c clspline -n '__clspline_at bezier' -l range -x \
    -d 'values at the ends of the colours'
complete -c clspline -n '__clspline_at bezier' -l bar \
    -d 'beside the mesh, a bar that tells which value has which colour'
complete -c clspline -n '__clspline_at bezier' -l colormap -x \
    -a 'auto viridis diverging gray' \
    -d 'colours from the least value to the greatest'
complete -c clspline -n '__clspline_at bezier' -l edges \
    -d 'dark lines along the edges of patches, of B-spline surfaces, ..'
complete -c clspline -n '__clspline_at bezier' -l cooperate -x \
    -a 'auto svm dynamic static device host' \
    -d 'the device and the host\'s cores work together'
complete -c clspline -n '__clspline_at bezier' -l workers -x \
    -d 'how many of the host\'s cores take part, 0 to 1024'
complete -c clspline -n '__clspline_at bezier' -l join -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'one more device'
complete -c clspline -n '__clspline_at bezier' -l report \
    -d 'tell what each processor did'
complete -c clspline -n '__clspline_at bezier' -l part -x \
    -d 'make part K of N alone, K from 1 on, in OUT.part'
complete -c clspline -n '__clspline_at bezier' -l resume \
    -d 'leave a part that is there as it is'
complete -c clspline -n '__clspline_at bezier' -s q -l quiet \
    -d 'no times, no progress, no warnings'
complete -c clspline -n '__clspline_at bezier' -s v -l verbose \
    -d 'what was read, and what the library chose'
complete -c clspline -n '__clspline_at bezier' -s h -l help \
    -d 'this text'

complete -c clspline -n '__clspline_at bspline eval' -k \
    -a '(__clspline_files g2 json igs iges step stp)'
complete -c clspline -n '__clspline_at bspline eval' -s o -l output -r -F \
    -d 'where to write'
complete -c clspline -n '__clspline_at bspline eval' -s f -l format -x \
    -a 'obj ply vtk stl glb png' \
    -d 'the format of -o -'
complete -c clspline -n '__clspline_at bspline eval' -s n -l samples -x \
    -d 'points along each direction of a spline, 2 to 1048576'
complete -c clspline -n '__clspline_at bspline eval' -l normals \
    -d 'write normals of the vertices too'
complete -c clspline -n '__clspline_at bspline eval' -l texture \
    -d 'write texture coordinates, the parameters u and v'
complete -c clspline -n '__clspline_at bspline eval' -s p -l precision -x \
    -a 'f32 f64' \
    -d 'numbers to compute with'
complete -c clspline -n '__clspline_at bspline eval' -s d -l device -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'which device'
complete -c clspline -n '__clspline_at bspline eval' -l up -x \
    -a 'auto x y z -x -y -z' \
    -d 'axis or direction that points up'
complete -c clspline -n '__clspline_at bspline eval' -l azimuth -x \
    -d 'seen from the right of the front of the wider side'
complete -c clspline -n '__clspline_at bspline eval' -l elevation -x \
    -d 'seen from above the horizon'
complete -c clspline -n '__clspline_at bspline eval' -l camera-direction -x \
    -d 'instead of both, the direction in which the camera looks'
complete -c clspline -n '__clspline_at bspline eval' -l camera-orthographic \
    -d 'without perspective'
complete -c clspline -n '__clspline_at bspline eval' -l zoom -x \
    -d 'how much larger than what fills the picture, 0.01 to 100'
complete -c clspline -n '__clspline_at bspline eval' -l background -x \
    -a 'auto' \
    -d 'colour behind the mesh'
complete -c clspline -n '__clspline_at bspline eval' -l no-background \
    -d 'nothing behind the mesh'
complete -c clspline -n '__clspline_at bspline eval' -l size -x \
    -d 'pixels of a picture'
complete -c clspline -n '__clspline_at bspline eval' -l coloring -x \
    -a 'plain patch mean gauss distance' \
    -d 'what surfaces are coloured by'
complete -c clspline -n '__clspline_at bspline eval' -l distance-to -r -F \
    -d 'of --coloring distance'
complete -c clspline -n '__clspline_at bspline eval' -l range -x \
    -d 'values at the ends of the colours'
complete -c clspline -n '__clspline_at bspline eval' -l bar \
    -d 'beside the mesh, a bar that tells which value has which colour'
complete -c clspline -n '__clspline_at bspline eval' -l colormap -x \
    -a 'auto viridis diverging gray' \
    -d 'colours from the least value to the greatest'
complete -c clspline -n '__clspline_at bspline eval' -l edges \
    -d 'dark lines along the edges of patches, of B-spline surfaces, ..'
complete -c clspline -n '__clspline_at bspline eval' -l cooperate -x \
    -a 'auto svm dynamic static device host' \
    -d 'the device and the host\'s cores work together'
complete -c clspline -n '__clspline_at bspline eval' -l workers -x \
    -d 'how many of the host\'s cores take part, 0 to 1024'
complete -c clspline -n '__clspline_at bspline eval' -l join -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'one more device'
complete -c clspline -n '__clspline_at bspline eval' -l report \
    -d 'tell what each processor did'
complete -c clspline -n '__clspline_at bspline eval' -l part -x \
    -d 'make part K of N alone, K from 1 on, in OUT.part'
complete -c clspline -n '__clspline_at bspline eval' -l resume \
    -d 'leave a part that is there as it is'
complete -c clspline -n '__clspline_at bspline eval' -s q -l quiet \
    -d 'no times, no progress, no warnings'
complete -c clspline -n '__clspline_at bspline eval' -s v -l verbose \
    -d 'what was read, and what the library chose'
complete -c clspline -n '__clspline_at bspline eval' -s h -l help \
    -d 'this text'

complete -c clspline -n '__clspline_at bspline bezier' -k \
    -a '(__clspline_files g2 json igs iges step stp)'
complete -c clspline -n '__clspline_at bspline bezier' -s o -l output -r -F \
    -d 'where to write'
complete -c clspline -n '__clspline_at bspline bezier' -s f -l format -x \
    -a 'bv g2 json' \
    -d 'the format of -o -'
complete -c clspline -n '__clspline_at bspline bezier' -l only -x \
    -a 'curves surfaces volumes' \
    -d 'the splines to cut, of files that have others too'
complete -c clspline -n '__clspline_at bspline bezier' -l degree -x \
    -d 'the degree of pieces, 1 to 15'
complete -c clspline -n '__clspline_at bspline bezier' -s t -l tolerance -x \
    -d 'what pieces of a lower degree may be off'
complete -c clspline -n '__clspline_at bspline bezier' -l polynomial \
    -d 'pieces of a lower degree of rational curves are polynomial'
complete -c clspline -n '__clspline_at bspline bezier' -l free-tangents \
    -d 'pieces of a lower degree need not have the curve\'s tangents ..'
complete -c clspline -n '__clspline_at bspline bezier' -s p -l precision -x \
    -a 'f32 f64' \
    -d 'numbers to compute with'
complete -c clspline -n '__clspline_at bspline bezier' -s d -l device -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'which device'
complete -c clspline -n '__clspline_at bspline bezier' -l report \
    -d 'tell of the run as JSON'
complete -c clspline -n '__clspline_at bspline bezier' -s q -l quiet \
    -d 'no times, no progress, no warnings'
complete -c clspline -n '__clspline_at bspline bezier' -s v -l verbose \
    -d 'what was read, and what the library chose'
complete -c clspline -n '__clspline_at bspline bezier' -s h -l help \
    -d 'this text'

complete -c clspline -n '__clspline_at image' -k \
    -a '(__clspline_files png jpg jpeg tif tiff nii nii.gz hdr img npy)'
complete -c clspline -n '__clspline_at image' -s o -l output -r -F \
    -d 'where to write, .png, .jpg, .tif, .nii, .nii.gz or .npy'
complete -c clspline -n '__clspline_at image' -s f -l format -x \
    -a 'png tif nii nii.gz npy jpg' \
    -d 'the format of -o -'
complete -c clspline -n '__clspline_at image' -s r -l rotate -x \
    -d 'turn by so many degrees, counterclockwise as a picture is seen'
complete -c clspline -n '__clspline_at image' -l axis -x \
    -a 'x y z' \
    -d 'axis to rotate about, of volumes'
complete -c clspline -n '__clspline_at image' -l fit \
    -d 'make OUT so large that all of the turned image is in it'
complete -c clspline -n '__clspline_at image' -s z -l zoom -x \
    -d 'F times the size, a number from 1e-6 to 1e6'
complete -c clspline -n '__clspline_at image' -l spacing -x \
    -d 'make the distance between samples so long, in the unit of IN'
complete -c clspline -n '__clspline_at image' -s s -l shift -x \
    -d 'move to the right and down, in samples of the output'
complete -c clspline -n '__clspline_at image' -l affine -x \
    -d 'instead of these'
complete -c clspline -n '__clspline_at image' -l size -x \
    -d 'the size of OUT'
complete -c clspline -n '__clspline_at image' -s n -l repeat -x \
    -d 'do it N times, each time from the result before'
complete -c clspline -n '__clspline_at image' -l order -x \
    -a '0 1 2 3 4 5 6 7' \
    -d 'order of the splines, 0 to 7'
complete -c clspline -n '__clspline_at image' -s m -l mode -x \
    -a 'mirror reflect grid-wrap nearest constant grid-constant wrap grid-mirror' \
    -d 'beyond the edges, along x, y, z or alike'
complete -c clspline -n '__clspline_at image' -l cval -x \
    -a 'nan' \
    -d 'value outside of the image'
complete -c clspline -n '__clspline_at image' -l taps -x \
    -a 'exact' \
    -d 'prefilter by N taps, odd, 3 to 127'
complete -c clspline -n '__clspline_at image' -l truncated \
    -d 'taps that are cut off rather than of least squares'
complete -c clspline -n '__clspline_at image' -l clip \
    -d 'keep within the range of IN\'s samples'
complete -c clspline -n '__clspline_at image' -l fetch -x \
    -a 'buffers texels lerps' \
    -d 'the device makes values from buffers, texels or lerps'
complete -c clspline -n '__clspline_at image' -l alpha -x \
    -a 'weighted straight' \
    -d 'colours are weighted by alpha, so that what is transparent ..'
complete -c clspline -n '__clspline_at image' -l type -x \
    -a 'u8 u16 s16 u32 s32 u64 s64 f32 f64' \
    -d 'type of OUT\'s samples'
complete -c clspline -n '__clspline_at image' -l quality -x \
    -d 'of a JPEG, 1 to 100'
complete -c clspline -n '__clspline_at image' -l directions -x \
    -a '1 2 3' \
    -d 'directions of an .npy array, 1 to 3'
complete -c clspline -n '__clspline_at image' -s p -l precision -x \
    -a 'f32 f64' \
    -d 'numbers to compute with'
complete -c clspline -n '__clspline_at image' -s d -l device -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'which device'
complete -c clspline -n '__clspline_at image' -l cooperate -x \
    -a 'auto svm dynamic static device host' \
    -d 'the device and the host\'s cores work together'
complete -c clspline -n '__clspline_at image' -l workers -x \
    -d 'how many of the host\'s cores take part, 0 to 1024'
complete -c clspline -n '__clspline_at image' -l join -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'one more device'
complete -c clspline -n '__clspline_at image' -l report \
    -d 'tell what each processor did'
complete -c clspline -n '__clspline_at image' -l part -x \
    -d 'make part K of N alone, K from 1 on, in OUT.part'
complete -c clspline -n '__clspline_at image' -l resume \
    -d 'leave a part that is there as it is'
complete -c clspline -n '__clspline_at image' -s q -l quiet \
    -d 'no times, no progress, no warnings'
complete -c clspline -n '__clspline_at image' -s v -l verbose \
    -d 'what was read, and what the library chose'
complete -c clspline -n '__clspline_at image' -s h -l help \
    -d 'this text'

complete -c clspline -n '__clspline_at project' -k \
    -a '(__clspline_files g2 json igs iges step stp bv csv npy xyz ply)'
complete -c clspline -n '__clspline_at project' -s o -l output -r -F \
    -d 'where to write'
complete -c clspline -n '__clspline_at project' -s f -l format -x \
    -a 'csv npy png ply' \
    -d 'the format of -o -'
complete -c clspline -n '__clspline_at project' -s t -l tolerance -x \
    -d 'points further away than this get the status off'
complete -c clspline -n '__clspline_at project' -s i -l invert \
    -d 'the points lie on the model, and their parameters are wanted'
complete -c clspline -n '__clspline_at project' -l columns -x \
    -d 'which columns of the points\' file are the coordinates'
complete -c clspline -n '__clspline_at project' -s m -l max-dist -x \
    -d 'look no further than this'
complete -c clspline -n '__clspline_at project' -s k -l nearest -x \
    -d 'the K nearest local minima of the distance, 1 to 16'
complete -c clspline -n '__clspline_at project' -l method -x \
    -a 'exact mrep' \
    -d 'exact or mrep'
complete -c clspline -n '__clspline_at project' -s s -l signed \
    -d 'distances have a sign, that of the side of the surface'
complete -c clspline -n '__clspline_at project' -l stats -x \
    -a 'json' \
    -d 'on standard output, as json'
complete -c clspline -n '__clspline_at project' -l histogram \
    -d 'on standard error, how many points have which distance'
complete -c clspline -n '__clspline_at project' -s p -l precision -x \
    -a 'f32 f64' \
    -d 'numbers to compute with'
complete -c clspline -n '__clspline_at project' -s d -l device -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'which device'
complete -c clspline -n '__clspline_at project' -l range -x \
    -d 'distances at the ends of the colours, and of --histogram'
complete -c clspline -n '__clspline_at project' -l bar \
    -d 'beside the mesh, a bar that tells which value has which colour'
complete -c clspline -n '__clspline_at project' -l colormap -x \
    -a 'auto viridis diverging gray' \
    -d 'colours from the least value to the greatest'
complete -c clspline -n '__clspline_at project' -l up -x \
    -a 'auto x y z -x -y -z' \
    -d 'axis or direction that points up'
complete -c clspline -n '__clspline_at project' -l azimuth -x \
    -d 'seen from the right of the front of the wider side'
complete -c clspline -n '__clspline_at project' -l elevation -x \
    -d 'seen from above the horizon'
complete -c clspline -n '__clspline_at project' -l camera-direction -x \
    -d 'instead of both, the direction in which the camera looks'
complete -c clspline -n '__clspline_at project' -l camera-orthographic \
    -d 'without perspective'
complete -c clspline -n '__clspline_at project' -l zoom -x \
    -d 'how much larger than what fills the picture, 0.01 to 100'
complete -c clspline -n '__clspline_at project' -l background -x \
    -a 'auto' \
    -d 'colour behind the mesh'
complete -c clspline -n '__clspline_at project' -l no-background \
    -d 'nothing behind the mesh'
complete -c clspline -n '__clspline_at project' -l size -x \
    -d 'pixels of a picture'
complete -c clspline -n '__clspline_at project' -l cooperate -x \
    -a 'auto svm dynamic static device host' \
    -d 'the device and the host\'s cores work together'
complete -c clspline -n '__clspline_at project' -l workers -x \
    -d 'how many of the host\'s cores take part, 0 to 1024'
complete -c clspline -n '__clspline_at project' -l join -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'one more device'
complete -c clspline -n '__clspline_at project' -l report \
    -d 'tell what each processor did'
complete -c clspline -n '__clspline_at project' -l part -x \
    -d 'make part K of N alone, K from 1 on, in OUT.part'
complete -c clspline -n '__clspline_at project' -l resume \
    -d 'leave a part that is there as it is'
complete -c clspline -n '__clspline_at project' -s q -l quiet \
    -d 'no times, no progress, no warnings'
complete -c clspline -n '__clspline_at project' -s v -l verbose \
    -d 'what was read, and what the library chose'
complete -c clspline -n '__clspline_at project' -s h -l help \
    -d 'this text'

complete -c clspline -n '__clspline_at solid' -k \
    -a '(__clspline_files vtk vtu mesh meshb msh)'
complete -c clspline -n '__clspline_at solid' -s o -l output -r -F \
    -d 'where to write'
complete -c clspline -n '__clspline_at solid' -s f -l format -x \
    -a 'vtu ply obj stl glb png npy tif nii nii.gz csv' \
    -d 'the format of -o -'
complete -c clspline -n '__clspline_at solid' -s n -l samples -x \
    -d 'samples of a cell along each direction, 2 to 100'
complete -c clspline -n '__clspline_at solid' -l merge -x \
    -d 'let points be one that are at most T apart, in units of the ..'
complete -c clspline -n '__clspline_at solid' -l refine -x \
    -d 'refine the mesh first, 0 to 20 times'
complete -c clspline -n '__clspline_at solid' -l orient \
    -d 'turn cells that are inside out, so that all have a positive ..'
complete -c clspline -n '__clspline_at solid' -l crease-angle -x \
    -d 'keep sharp edges'
complete -c clspline -n '__clspline_at solid' -l crease-steps -x \
    -d 'keep creases for K refinements only, above 0 and below 10, as ..'
complete -c clspline -n '__clspline_at solid' -l bezier \
    -d 'one cubic VTK_BEZIER_HEXAHEDRON a cell, in .vtu'
complete -c clspline -n '__clspline_at solid' -l normals \
    -d 'normals of vertices, in .ply, .obj and .glb'
complete -c clspline -n '__clspline_at solid' -l classes \
    -d 'print classes of cells'
complete -c clspline -n '__clspline_at solid' -s p -l precision -x \
    -a 'f32 f64' \
    -d 'numbers to compute with'
complete -c clspline -n '__clspline_at solid' -s d -l device -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'which device'
complete -c clspline -n '__clspline_at solid' -l slice -x \
    -a 'x= y= z=' \
    -d 'the plane at height H'
complete -c clspline -n '__clspline_at solid' -l slices -x \
    -a 'x= y= z=' \
    -d 'the planes at A, A + STEP and so on up to B, as pages of .tif ..'
complete -c clspline -n '__clspline_at solid' -l size -x \
    -d 'pixels along the longer side of the slice'
complete -c clspline -n '__clspline_at solid' -l pixel -x \
    -d 'the side of a pixel, in units of the mesh'
complete -c clspline -n '__clspline_at solid' -l unit -x \
    -a 'um mm cm m in' \
    -d 'what lengths of the mesh are, for the resolution that image ..'
complete -c clspline -n '__clspline_at solid' -l array -x \
    -d 'show, or probe, this data of points, or show that of cells'
complete -c clspline -n '__clspline_at solid' -l range -x \
    -d 'values that are black and white in PNG, or at the ends of the ..'
complete -c clspline -n '__clspline_at solid' -l locate -r -F \
    -d 'write where the points of a file lie, to .csv or .npy'
complete -c clspline -n '__clspline_at solid' -l probe -r -F \
    -d 'write the mesh\'s data of points at the points of a file, NaN ..'
complete -c clspline -n '__clspline_at solid' -l columns -x \
    -d 'the columns that coordinates are in, of POINTS in CSV'
complete -c clspline -n '__clspline_at solid' -l nearest \
    -d 'where points are outside, write the nearest point of the solid'
complete -c clspline -n '__clspline_at solid' -l tolerance -x \
    -d 'take points that are outside by T at most as found, at the ..'
complete -c clspline -n '__clspline_at solid' -l cut -x \
    -a 'x= y= z=' \
    -d 'cut open at height H'
complete -c clspline -n '__clspline_at solid' -l distance-to -r -F \
    -d 'colour by distances from the boundary, and the face of a cut, ..'
complete -c clspline -n '__clspline_at solid' -l edges \
    -d 'dark lines along the edges of cells'
complete -c clspline -n '__clspline_at solid' -l bar \
    -d 'beside the mesh, a bar that tells which value has which colour'
complete -c clspline -n '__clspline_at solid' -l colormap -x \
    -a 'auto viridis diverging gray' \
    -d 'colours from the least value to the greatest'
complete -c clspline -n '__clspline_at solid' -l up -x \
    -a 'auto x y z -x -y -z' \
    -d 'axis or direction that points up'
complete -c clspline -n '__clspline_at solid' -l azimuth -x \
    -d 'seen from the right of the front of the wider side'
complete -c clspline -n '__clspline_at solid' -l elevation -x \
    -d 'seen from above the horizon'
complete -c clspline -n '__clspline_at solid' -l camera-direction -x \
    -d 'instead of both, the direction in which the camera looks'
complete -c clspline -n '__clspline_at solid' -l camera-orthographic \
    -d 'without perspective'
complete -c clspline -n '__clspline_at solid' -l zoom -x \
    -d 'how much larger than what fills the picture, 0.01 to 100'
complete -c clspline -n '__clspline_at solid' -l background -x \
    -a 'auto' \
    -d 'colour behind the mesh'
complete -c clspline -n '__clspline_at solid' -l no-background \
    -d 'nothing behind the mesh'
complete -c clspline -n '__clspline_at solid' -l cooperate -x \
    -a 'auto svm dynamic static device host' \
    -d 'the device and the host\'s cores work together'
complete -c clspline -n '__clspline_at solid' -l workers -x \
    -d 'how many of the host\'s cores take part, 0 to 1024'
complete -c clspline -n '__clspline_at solid' -l join -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'one more device'
complete -c clspline -n '__clspline_at solid' -l report \
    -d 'tell what each processor did'
complete -c clspline -n '__clspline_at solid' -l part -x \
    -d 'make part K of N alone, K from 1 on, in OUT.part'
complete -c clspline -n '__clspline_at solid' -l resume \
    -d 'leave a part that is there as it is'
complete -c clspline -n '__clspline_at solid' -s q -l quiet \
    -d 'no times, no progress, no warnings'
complete -c clspline -n '__clspline_at solid' -s v -l verbose \
    -d 'what was read, and what the library chose'
complete -c clspline -n '__clspline_at solid' -s h -l help \
    -d 'this text'

complete -c clspline -n '__clspline_at view' -k \
    -a '(__clspline_files bv g2 json igs iges step stp vtk vtu mesh meshb msh)'
complete -c clspline -n '__clspline_at view' -s o -l output -r -F \
    -d 'draw a PNG picture instead of opening a window'
complete -c clspline -n '__clspline_at view' -l resolution -x \
    -d 'pixels of the picture or the window'
complete -c clspline -n '__clspline_at view' -s n -l samples -x \
    -d 'points along each direction of a patch, 2 to 1025'
complete -c clspline -n '__clspline_at view' -s d -l device -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'which device'
complete -c clspline -n '__clspline_at view' -l up -x \
    -a 'auto x y z -x -y -z' \
    -d 'axis or direction that points up'
complete -c clspline -n '__clspline_at view' -l camera-direction -x \
    -d 'look in this direction'
complete -c clspline -n '__clspline_at view' -l camera-zoom-factor -x \
    -d 'how much larger than what fills the picture, 0.01 to 100'
complete -c clspline -n '__clspline_at view' -l camera-azimuth-angle -x \
    -d 'then go around the model to the right, -360 to 360 degrees'
complete -c clspline -n '__clspline_at view' -l camera-elevation-angle -x \
    -d 'then go up, -180 to 180 degrees'
complete -c clspline -n '__clspline_at view' -l camera-orthographic \
    -d 'no perspective'
complete -c clspline -n '__clspline_at view' -l coloring -x \
    -a 'plain patch mean gauss distance data' \
    -d 'what colours tell'
complete -c clspline -n '__clspline_at view' -l distance-to -r -F \
    -d 'of --coloring distance'
complete -c clspline -n '__clspline_at view' -l array -x \
    -d 'which data of a solid\'s points or cells'
complete -c clspline -n '__clspline_at view' -l range -x \
    -d 'values at the ends of the colours'
complete -c clspline -n '__clspline_at view' -l colormap -x \
    -a 'auto viridis diverging gray' \
    -d 'colours from the least value to the greatest'
complete -c clspline -n '__clspline_at view' -s b -l bar \
    -d 'show which value has which colour'
complete -c clspline -n '__clspline_at view' -s e -l edges \
    -d 'show the edges of patches or cells'
complete -c clspline -n '__clspline_at view' -l wireframe \
    -d 'show the lines between samples'
complete -c clspline -n '__clspline_at view' -l control-points \
    -d 'show control points'
complete -c clspline -n '__clspline_at view' -l zebra \
    -d 'show stripes, which break where normals do'
complete -c clspline -n '__clspline_at view' -l no-background \
    -d 'a picture that is transparent beside the model'
complete -c clspline -n '__clspline_at view' -l crease-angle -x \
    -d 'of solids'
complete -c clspline -n '__clspline_at view' -s q -l quiet \
    -d 'no times, no progress, no warnings'
complete -c clspline -n '__clspline_at view' -s v -l verbose \
    -d 'what was read, and what the library chose'
complete -c clspline -n '__clspline_at view' -s h -l help \
    -d 'this text'

complete -c clspline -n '__clspline_at join' -l mixed \
    -d 'join parts that different devices have made, whose bits may ..'
complete -c clspline -n '__clspline_at join' -s q -l quiet \
    -d 'say nothing of what was joined'
complete -c clspline -n '__clspline_at join' -s h -l help \
    -d 'this text'

complete -c clspline -n '__clspline_at info' -k \
    -a '(__clspline_files bv g2 json igs iges step stp vtk vtu mesh meshb msh csv xyz ply npy png jpg jpeg tif tiff nii nii.gz hdr img)'
complete -c clspline -n '__clspline_at info' -s d -l device -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'which device'
complete -c clspline -n '__clspline_at info' -l json \
    -d 'print JSON'
complete -c clspline -n '__clspline_at info' -s h -l help \
    -d 'this text'

complete -c clspline -n '__clspline_at tune' -s d -l device -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'which device'
complete -c clspline -n '__clspline_at tune' -l workers -x \
    -d 'how many of the host\'s cores take part, 0 to 1024'
complete -c clspline -n '__clspline_at tune' -l join -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'one more device'
complete -c clspline -n '__clspline_at tune' -l speeds -r -F \
    -d 'where to store them'
complete -c clspline -n '__clspline_at tune' -l quick \
    -d 'grids of up to 10^5 points only'
complete -c clspline -n '__clspline_at tune' -l json \
    -d 'print JSON'
complete -c clspline -n '__clspline_at tune' -s h -l help \
    -d 'this text'

complete -c clspline -n '__clspline_at devices' -l kernels \
    -d 'list the kernels, as compiled for one device'
complete -c clspline -n '__clspline_at devices' -s d -l device -x \
    -a 'gpu cpu integrated discrete accelerator host' \
    -d 'which device'
complete -c clspline -n '__clspline_at devices' -s v -l verbose \
    -d 'in a wide table, also SVM, work-groups and drivers'
complete -c clspline -n '__clspline_at devices' -l json \
    -d 'print JSON'
complete -c clspline -n '__clspline_at devices' -s h -l help \
    -d 'this text'
