package dev.sallyport.transforms.sigv4auth;

/**
 * The scope of a signature: what the credential is used for.
 *
 * @param date eight digits
 */
record Scope(String date, String region, String service) {

    /** The text form in a credential and in the string to sign. */
    String text() {
        return date + '/' + region + '/' + service + '/' + Names.TERMINATOR;
    }

    /** The same scope on another day. */
    Scope on(String otherDate) {
        return otherDate.equals(date) ? this : new Scope(otherDate, region, service);
    }

    /** Whether the service has the rules of S3. */
    boolean objectStore() {
        return Names.isObjectStore(service);
    }
}
