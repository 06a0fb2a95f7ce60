export declare function gpuEnv(): NodeJS.ProcessEnv
