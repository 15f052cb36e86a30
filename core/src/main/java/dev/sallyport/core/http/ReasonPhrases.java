package dev.sallyport.core.http;

import io.netty.handler.codec.http.HttpResponseStatus;

/** The reason phrases of responses that are made here. Pure functions. */
public final class ReasonPhrases {

    private ReasonPhrases() {}

    /** The phrase of RFC 9110, or of the registry of status codes; Netty has older ones of some, and none of others. */
    public static String of(int status) {
        return switch (status) {
            case 208 -> "Already Reported";
            case 226 -> "IM Used";
            case 413 -> "Content Too Large";
            case 414 -> "URI Too Long";
            case 416 -> "Range Not Satisfiable";
            case 422 -> "Unprocessable Content";
            case 425 -> "Too Early";
            case 451 -> "Unavailable For Legal Reasons";
            case 508 -> "Loop Detected";
            default -> HttpResponseStatus.valueOf(status).reasonPhrase();
        };
    }
}
