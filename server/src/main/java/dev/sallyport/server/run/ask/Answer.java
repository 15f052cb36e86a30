package dev.sallyport.server.run.ask;

/**
 * What became of a question.
 *
 * @param reason for people, when the answer is not yes
 */
public record Answer(Kind kind, String reason) {

    /** What was answered. */
    public enum Kind {
        /** This method and path may pass until the program ends. */
        YES,
        /** Nothing more of this destination may pass, and nobody is asked about it again. */
        NO,
        /** Nobody could be asked. */
        NOT_ASKED
    }

    /** The answer yes. */
    public static final Answer YES = new Answer(Kind.YES, "");

    static Answer no(String reason) {
        return new Answer(Kind.NO, reason);
    }

    static Answer notAsked(String reason) {
        return new Answer(Kind.NOT_ASKED, reason);
    }

    /** Whether the request may pass. */
    public boolean isYes() {
        return kind == Kind.YES;
    }
}
