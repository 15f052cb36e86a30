package dev.sallyport.server.flood;

/**
 * One place in which bytes may gather, and a client that sees to it.
 *
 * @param place its name
 * @param attack what the client does
 */
record Flood(String place, Attack attack) {

    /** Fills one place. What it leaves open is closed by the {@link Attacker}. */
    @FunctionalInterface
    interface Attack {

        /**
         * Begins.
         *
         * @param much how many times over
         * @return how many exchanges it makes: so many records are due, once all of its connections have closed
         */
        long by(Attacker attacker, int much) throws Exception;
    }

    @Override
    public String toString() {
        return place;
    }
}
