package dev.sallyport.control.account;

/** What owns policies, keys and all else. */
public record Organization(String id, String name) {}
