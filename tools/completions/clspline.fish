# Completion of clspline for fish.

set -l commands bezier bspline project info tune devices
set -l classes 'cpu gpu integrated discrete accelerator'

complete -c clspline -f
complete -c clspline -n "not __fish_seen_subcommand_from $commands" -a bezier -d 'Evaluate patches'
complete -c clspline -n "not __fish_seen_subcommand_from $commands" -a bspline -d 'Evaluate B-splines'
complete -c clspline -n "not __fish_seen_subcommand_from $commands" -a project -d 'Nearest points of curves'
complete -c clspline -n "not __fish_seen_subcommand_from $commands" -a info -d 'Tell what files hold'
complete -c clspline -n "not __fish_seen_subcommand_from $commands" -a tune -d 'Measure the processors'
complete -c clspline -n "not __fish_seen_subcommand_from $commands" -a devices -d 'List devices or kernels'
complete -c clspline -n "not __fish_seen_subcommand_from $commands" -s V -l version -d 'Print the version'
complete -c clspline -s h -l help -d 'Print a help text'

# Files to read, and the device.
complete -c clspline -n '__fish_seen_subcommand_from bezier info' -k -a '(__fish_complete_suffix .bv)'
complete -c clspline -n "__fish_seen_subcommand_from $commands" -s d -l device -x -a $classes -d 'The device'
complete -c clspline -n '__fish_seen_subcommand_from bspline; and not __fish_seen_subcommand_from eval bezier' \
    -x -a 'eval bezier' -d 'What to do'
complete -c clspline -n '__fish_seen_subcommand_from bspline project info' -k \
    -a '(__fish_complete_suffix .g2; __fish_complete_suffix .json)'
complete -c clspline -n '__fish_seen_subcommand_from bezier bspline tune' -l join -x -a $classes -d 'One more device'
complete -c clspline -n '__fish_seen_subcommand_from bezier bspline tune' -l workers -x -d 'How many cores'
complete -c clspline -n '__fish_seen_subcommand_from info tune devices' -l json -d 'Print JSON'

set -l bezier -c clspline -n '__fish_seen_subcommand_from bezier; and not __fish_seen_subcommand_from bspline'
set -l meshes -c clspline -n '__fish_seen_subcommand_from bezier bspline'
complete $meshes -s o -l output -r -F -d 'Where to write'
complete $bezier -s f -l format -x -a 'obj ply vtk stl glb png' -d 'The format of -o -'
complete -c clspline -n '__fish_seen_subcommand_from bspline' -s f -l format -x \
    -a 'obj ply vtk stl glb png bv g2 json' -d 'The format of -o -'
complete $meshes -s n -l samples -x -d 'Points along each direction'
complete $bezier -s t -l tolerance -x -d 'Largest distance'
complete $bezier -l method -x -a 'auto separable multilevel matrix brute' -d 'How points are computed'
complete $meshes -s p -l precision -x -a 'f32 f64' -d 'Numbers to compute with'
complete $meshes -l cooperate -x -a 'auto svm dynamic static device host' -d 'Share with the cores'
complete $meshes -l report -d 'What each processor did'
complete $meshes -l normals -d 'Write normals'
complete $meshes -l texture -d 'Write texture coordinates'
complete $meshes -l up -x -a 'auto x y z' -d 'Axis that points up'
complete $meshes -l azimuth -x -d 'Degrees to the right'
complete $meshes -l elevation -x -d 'Degrees above the horizon'
complete $meshes -l zoom -x -d 'How much larger'
complete $meshes -l size -x -d 'Pixels of a picture'
complete $meshes -l background -x -a auto -d 'Colour behind the mesh'
complete $meshes -s q -l quiet -d 'Print nothing'
complete $meshes -s v -l verbose -d 'Print notes'

complete -c clspline -n '__fish_seen_subcommand_from project' -k \
    -a '(__fish_complete_suffix .csv; __fish_complete_suffix .npy; __fish_complete_suffix .xyz)'
set -l project -c clspline -n '__fish_seen_subcommand_from project'
complete $project -s o -l output -r -F -d 'Where to write'
complete $project -s f -l format -x -a 'csv npy' -d 'The format of -o -'
complete $project -s i -l invert -d 'The points lie on the curves'
complete $project -s t -l tolerance -x -d 'Largest distance'
complete $project -s m -l max-dist -x -d 'Look no further'
complete $project -s k -l nearest -x -d 'Results of a point'
complete $project -l method -x -a 'exact mrep' -d 'How to search'
complete $project -s p -l precision -x -a 'f32 f64' -d 'Numbers to compute with'
complete $project -s q -l quiet -d 'Print nothing'
complete $project -s v -l verbose -d 'Print notes'

complete -c clspline -n '__fish_seen_subcommand_from tune' -l speeds -r -F -d 'Where to store'
complete -c clspline -n '__fish_seen_subcommand_from tune' -l quick -d 'Small grids only'

complete -c clspline -n '__fish_seen_subcommand_from devices' -l kernels -d 'List the kernels'
complete -c clspline -n '__fish_seen_subcommand_from devices' -s v -l verbose -d 'Print a wider table'
