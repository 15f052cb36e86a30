package dev.sallyport.transforms.sigv4auth;

/** How the content of a request is signed. */
sealed interface Payload extends Reading
        permits Payload.Fixed, Payload.Verified, Payload.AwsChunked, Payload.Computed, Reading.Refused {

    /** By a marker, or the hash of nothing: the content is not looked at. */
    record Fixed(String hash, boolean sent) implements Payload {}

    /** By the hash that the client declared, which the content must have. */
    record Verified(String hash) implements Payload {}

    /**
     * In chunks that are framed within the content.
     *
     * @param marker the value of {@code x-amz-content-sha256}
     * @param signed whether each chunk has a signature
     * @param trailer whether header fields follow the chunks
     */
    record AwsChunked(String marker, boolean signed, boolean trailer) implements Payload {}

    /**
     * By a hash that is computed from all of it.
     *
     * @param sent whether the hash is to be sent as well
     */
    record Computed(boolean sent) implements Payload {}
}
