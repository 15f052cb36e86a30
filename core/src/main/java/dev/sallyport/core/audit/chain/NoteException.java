package dev.sallyport.core.audit.chain;

/** A key, a note or a checkpoint is not what it should be. The message says why, and holds no key. */
public final class NoteException extends Exception {

    private static final long serialVersionUID = 1L;

    NoteException(String message) {
        super(message);
    }
}
