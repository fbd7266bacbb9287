# Completion of clspline for fish.

set -l commands bezier info tune devices
set -l classes 'cpu gpu integrated discrete accelerator'

complete -c clspline -f
complete -c clspline -n "not __fish_seen_subcommand_from $commands" -a bezier -d 'Evaluate patches'
complete -c clspline -n "not __fish_seen_subcommand_from $commands" -a info -d 'Tell what files hold'
complete -c clspline -n "not __fish_seen_subcommand_from $commands" -a tune -d 'Measure the processors'
complete -c clspline -n "not __fish_seen_subcommand_from $commands" -a devices -d 'List devices or kernels'
complete -c clspline -n "not __fish_seen_subcommand_from $commands" -s V -l version -d 'Print the version'
complete -c clspline -s h -l help -d 'Print a help text'

# Files to read, and the device.
complete -c clspline -n '__fish_seen_subcommand_from bezier info' -k -a '(__fish_complete_suffix .bv)'
complete -c clspline -n "__fish_seen_subcommand_from $commands" -s d -l device -x -a $classes -d 'The device'
complete -c clspline -n '__fish_seen_subcommand_from bezier tune' -l join -x -a $classes -d 'One more device'
complete -c clspline -n '__fish_seen_subcommand_from bezier tune' -l workers -x -d 'How many cores'
complete -c clspline -n '__fish_seen_subcommand_from info tune devices' -l json -d 'Print JSON'

set -l bezier -c clspline -n '__fish_seen_subcommand_from bezier'
complete $bezier -s o -l output -r -F -d 'Where to write'
complete $bezier -s f -l format -x -a 'obj ply vtk stl glb png' -d 'The format of -o -'
complete $bezier -s n -l samples -x -d 'Points along each direction'
complete $bezier -s t -l tolerance -x -d 'Largest distance'
complete $bezier -l method -x -a 'auto separable multilevel matrix brute' -d 'How points are computed'
complete $bezier -s p -l precision -x -a 'f32 f64' -d 'Numbers to compute with'
complete $bezier -l cooperate -x -a 'auto svm dynamic static device host' -d 'Share with the cores'
complete $bezier -l report -d 'What each processor did'
complete $bezier -l normals -d 'Write normals'
complete $bezier -l texture -d 'Write texture coordinates'
complete $bezier -l up -x -a 'auto x y z' -d 'Axis that points up'
complete $bezier -l azimuth -x -d 'Degrees to the right'
complete $bezier -l elevation -x -d 'Degrees above the horizon'
complete $bezier -l zoom -x -d 'How much larger'
complete $bezier -l size -x -d 'Pixels of a picture'
complete $bezier -l background -x -a auto -d 'Colour behind the mesh'
complete $bezier -s q -l quiet -d 'Print nothing'
complete $bezier -s v -l verbose -d 'Print notes'

complete -c clspline -n '__fish_seen_subcommand_from tune' -l speeds -r -F -d 'Where to store'
complete -c clspline -n '__fish_seen_subcommand_from tune' -l quick -d 'Small grids only'

complete -c clspline -n '__fish_seen_subcommand_from devices' -l kernels -d 'List the kernels'
complete -c clspline -n '__fish_seen_subcommand_from devices' -s v -l verbose -d 'Print a wider table'
