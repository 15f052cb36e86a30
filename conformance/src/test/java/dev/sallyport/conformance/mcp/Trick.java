package dev.sallyport.conformance.mcp;

/**
 * How a server answers.
 *
 * @param method of the request that asks
 * @param ask its body
 * @param answer everything that the server sends
 */
record Trick(String name, String method, String ask, byte[] answer) {

    @Override
    public String toString() {
        return name;
    }
}
