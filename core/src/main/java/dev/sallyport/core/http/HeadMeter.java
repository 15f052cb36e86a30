package dev.sallyport.core.http;

/** Grants memory before a head grows. */
public interface HeadMeter {

    /** Grants everything. */
    HeadMeter NONE = new HeadMeter() {
        @Override
        public Room take(int bytes) {
            return Room.ENOUGH;
        }

        @Override
        public void give(int bytes) {}
    };

    /** The answer to a request for memory. */
    enum Room {
        /** The memory is granted. */
        ENOUGH,
        /** The asker has used up its own share. */
        NOT_HERE,
        /** The common memory is used up, or the asker's fair part of it. */
        NOWHERE
    }

    /** Takes bytes, if they are granted. */
    Room take(int bytes);

    /** Returns bytes. */
    void give(int bytes);
}
