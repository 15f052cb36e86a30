package dev.sallyport.core.body;

/** One applied stage. */
abstract class Link implements Outlet {

    private Outlet next;

    Link(Outlet next) {
        this.next = next;
    }

    final Outlet next() {
        return next;
    }

    final void next(Outlet newNext) {
        next = newNext;
    }

    @Override
    public void flush() {
        next.flush();
    }

    /** Frees what it holds, whether or not the end has come. Called once; never from inside the stage. */
    abstract void close();
}
