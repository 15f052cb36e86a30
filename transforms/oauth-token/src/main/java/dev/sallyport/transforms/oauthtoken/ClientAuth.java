package dev.sallyport.transforms.oauthtoken;

/** How the client authenticates to the token endpoint (RFC 6749, 2.3.1). */
public enum ClientAuth {
    /** As parameters of the request. */
    BODY,
    /** In {@code Authorization}, with the scheme Basic. */
    BASIC
}
