package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.Decision;

/** How the content of a request is signed. */
sealed interface Payload {

    /** It cannot be signed. */
    record Refused(Decision decision) implements Payload {}

    /**
     * By a hash that is computed from all of it.
     *
     * @param sent whether the hash is to be sent as well
     */
    record Computed(boolean sent) implements Payload {

        /** The same, with the hash. */
        Fixed as(String hash) {
            return new Fixed(hash, sent);
        }
    }

    /** By what is known before the content has been seen. */
    sealed interface Known extends Payload {

        /** What is signed in the place of the content: its hash, or a marker. */
        String hash();
    }

    /**
     * The content is not looked at.
     *
     * @param sent whether the hash is to be put into the head
     */
    record Fixed(String hash, boolean sent) implements Known {}

    /** The client declared the hash, and the content must have it. */
    record Verified(String hash) implements Known {}

    /**
     * In chunks that are framed within the content.
     *
     * @param hash the marker for this form
     * @param signed whether each chunk has a signature
     * @param trailer whether header fields follow the chunks
     */
    record AwsChunked(String hash, boolean signed, boolean trailer) implements Known {}
}
