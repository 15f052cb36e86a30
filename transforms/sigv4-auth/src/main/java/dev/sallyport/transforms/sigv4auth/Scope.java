package dev.sallyport.transforms.sigv4auth;

/**
 * What a credential is used for: the scope of a signature.
 *
 * @param date eight digits
 */
record Scope(String date, String region, String service) {

    /** As it stands in a credential and in what is signed. */
    String text() {
        return date + '/' + region + '/' + service + '/' + Names.TERMINATOR;
    }

    /** The same on another day. */
    Scope on(String otherDate) {
        return otherDate.equals(date) ? this : new Scope(otherDate, region, service);
    }

    /** Whether the service has the rules of S3. */
    boolean objectStore() {
        return Names.isObjectStore(service);
    }
}
