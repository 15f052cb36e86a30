package dev.sallyport.control.model;

/**
 * What is wrong with one field of a body or query.
 *
 * @param field its place, such as {@code rules[0].host}; empty for the whole
 * @param message what is wrong and what was expected; never the value
 */
public record FieldProblem(String field, String message) {}
