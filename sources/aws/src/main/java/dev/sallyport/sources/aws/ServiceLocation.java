package dev.sallyport.sources.aws;

/**
 * The region and endpoint of a source.
 *
 * @param source the source's name in the configuration
 * @param region empty for the one that the SDK finds
 * @param endpoint empty for the region's usual one
 */
record ServiceLocation(String source, String region, String endpoint) {}
