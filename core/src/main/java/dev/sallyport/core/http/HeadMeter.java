package dev.sallyport.core.http;

/** Grants room before a head grows. */
public interface HeadMeter {

    /** Asks nobody. */
    HeadMeter NONE = new HeadMeter() {
        @Override
        public Room take(int bytes) {
            return Room.ENOUGH;
        }

        @Override
        public void give(int bytes) {}
    };

    /** Whether there is room. */
    enum Room {
        /** It has been taken. */
        ENOUGH,
        /** Who asks has used up its own part. */
        NOT_HERE,
        /** What all share is used up, or the asker's fair part of it. */
        NOWHERE
    }

    /** Takes bytes, when there is room for them. */
    Room take(int bytes);

    /** Gives back what was taken. */
    void give(int bytes);
}
