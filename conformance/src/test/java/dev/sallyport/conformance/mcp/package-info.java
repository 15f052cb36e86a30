/**
 * The Model Context Protocol through a whole proxy: official clients and servers, the public suite, and attempts to get
 * a forbidden call past.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@code BypassTest}: what a workload may try, {@code SloppyServer}: who would obey it
 *   <li>{@code HiddenToolTest}: what a server may try
 *   <li>{@code BatchMergeTest}: batches against a reference
 *   <li>{@code JavaSdkTest}, {@code TypeScriptSdkTest}, {@code PythonSdkTest}: the official libraries
 *   <li>{@code PublicSuiteTest}: the conformance suite of the protocol
 * </ul>
 */
@NullMarked
package dev.sallyport.conformance.mcp;

import org.jspecify.annotations.NullMarked;
