package dev.sallyport.control.feed;

/**
 * How much memory events may take that wait, in bytes.
 *
 * @param capacity those of all organizations together
 * @param shared what organizations may fill before no request of theirs is taken; the rest is for what is under way then
 * @param least what each organization has, whatever others take
 */
record EventRoom(long capacity, long shared, long least) {

    /** Of a room, in percent: at the first no exchange begins any more, below the second they do again. */
    private static final long FULL = 95;

    private static final long ROOM = 90;
    private static final long ALL = 100;

    private static final long SHARED = 20L << 20;
    private static final long LEAST = 128L << 10;

    /**
     * Of a proxy that may have so many exchanges under way: when one organization has filled its room and all of them are its
     * own, their events fit, and others go on.
     */
    static EventRoom of(int slots) {
        return new EventRoom((SHARED + slots * EventWeight.BARE) / FULL * ALL, SHARED, LEAST);
    }

    static boolean isFull(long weight, long room) {
        return weight >= room / ALL * FULL;
    }

    static boolean hasRoom(long weight, long room) {
        return weight < room / ALL * ROOM;
    }
}
