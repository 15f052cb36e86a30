package dev.sallyport.core.pipeline;

/**
 * A configuration whose transform already exists: it is not remade when limits change, and is closed only with the last
 * generation that contains it.
 */
public interface PrebuiltConfig {}
