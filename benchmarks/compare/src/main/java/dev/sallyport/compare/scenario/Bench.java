package dev.sallyport.compare.scenario;

import dev.sallyport.compare.load.Dialler;

/** What a cell that starts its peer afresh works with. The subject is ready and has not had a request yet. */
public record Bench(Subject subject, Dialler dialler, Settings settings) {}
