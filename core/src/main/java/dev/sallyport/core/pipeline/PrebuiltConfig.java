package dev.sallyport.core.pipeline;

/**
 * A configuration whose transform exists already: it is not made anew when limits change, and closed only when the last
 * generation that has it is gone.
 */
public interface PrebuiltConfig {}
