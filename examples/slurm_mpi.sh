#!/bin/sh
#SBATCH --job-name=fine
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=8
# A volume twice as fine by MPI, two ranks on each of four nodes, on a disk that all of them share:
#
#   sbatch slurm_mpi.sh scan.nii fine.npy
#
# The option --map-by is Open MPI's, and gives each rank its cores; for another MPI `srun` in the
# place of mpirun does. Where a node has GPUs, have as many ranks on it as there are of them: each
# takes another one.
set -eu

exec mpirun ${SLURM_CPUS_PER_TASK:+--map-by "slot:PE=$SLURM_CPUS_PER_TASK"} \
    clspline-mpi image "$1" -o "$2" --scale 2 --resume --verbose
