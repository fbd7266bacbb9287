#!/bin/sh
#SBATCH --job-name=fine
#SBATCH --array=1-16
#SBATCH --cpus-per-task=8
#SBATCH --requeue
# A volume twice as fine, a part by each task of an array job, on a disk that all nodes share:
#
#   job=$(sbatch --parsable slurm_array.sh scan.nii fine.npy)
#   sbatch --dependency=afterok:$job --wrap 'clspline join fine.npy'
#
# Where tasks have failed or were stopped, give the first line again: parts that are there stay.
set -eu

# PoCL makes a thread for each core of the node, whichever of them the task may use.
if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then
    export POCL_MAX_PTHREAD_COUNT="$SLURM_CPUS_PER_TASK"
    export POCL_CPU_MAX_CU_COUNT="$SLURM_CPUS_PER_TASK" # its name from PoCL 4 on
fi
exec clspline image "$1" -o "$2" --scale 2 --resume --verbose \
    --part "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
