package dev.sallyport.core.pipeline;

/** Which secrets of one transform have been deleted. Thread-safe; waits for nobody. */
interface StageSecrets {

    /** A transform without secrets. */
    StageSecrets NONE = (deletions, name) -> false;

    /**
     * Whether a secret has been deleted since the proxy had seen that number of deletions; also once the transform is closed.
     *
     * @param name of a secret of the transform; any other stands for what was derived from all of them, such as a token
     */
    boolean deletedSince(long deletions, String name);
}
