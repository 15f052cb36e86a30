package dev.sallyport.transforms.grpc;

/** Texts of a server, on their way into an audit record. */
final class Texts {

    private Texts() {}

    /** The first characters; no surrogate pair is cut in two. */
    static String cut(String text, int length) {
        if (text.length() <= length) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length);
    }
}
