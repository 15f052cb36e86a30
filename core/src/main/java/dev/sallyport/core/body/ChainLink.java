package dev.sallyport.core.body;

/** One applied stage. */
abstract class ChainLink implements ChainOutput {

    private ChainOutput next;

    ChainLink(ChainOutput next) {
        this.next = next;
    }

    final ChainOutput next() {
        return next;
    }

    final void next(ChainOutput newNext) {
        next = newNext;
    }

    @Override
    public void flush() {
        next.flush();
    }

    /** Whether bytes, or the end, wait in this link to be passed on by {@link #step}. */
    boolean busy() {
        return false;
    }

    /** Passes on some of what waits; returns how many bytes. */
    int step() {
        return 0;
    }

    /** Frees the link's resources, whether or not the end has come. Called once; never from inside the stage. */
    abstract void close();
}
