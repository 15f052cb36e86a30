package dev.sallyport.sources.aws;

/**
 * Where a source asks.
 *
 * @param source the source's name in the configuration
 * @param region empty for the one that the SDK finds
 * @param endpoint empty for the region's usual one
 */
record Place(String source, String region, String endpoint) {}
