package dev.sallyport.transforms.judge;

/** There is no verdict. The message contains nothing that the provider sent; its output is kept separately. */
final class NoVerdictException extends Exception {

    private static final long serialVersionUID = 1L;

    private final String output;

    private NoVerdictException(String message, String output) {
        super(message, null, false, false);
        this.output = output;
    }

    /** The call failed. */
    static NoVerdictException failed(String problem) {
        return new NoVerdictException(problem, "");
    }

    /** The reply contains no verdict. */
    static NoVerdictException malformed(String problem, String output) {
        return new NoVerdictException("malformed output: " + problem, output);
    }

    /** What the model said; empty when it said nothing. */
    String output() {
        return output;
    }
}
