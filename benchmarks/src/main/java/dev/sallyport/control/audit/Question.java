package dev.sallyport.control.audit;

/**
 * A page of a list.
 *
 * @param kind what it is counted with
 * @param deep whether it begins anywhere instead of at the beginning
 */
record Question(String kind, String organization, EgressFilter filter, boolean descending, boolean deep) {}
