/**
 * What authors of plug-ins test with: a harness, fakes and contract tests.
 *
 * <p>Starting points:
 *
 * <ul>
 *   <li>{@link dev.sallyport.testkit.TransformHarness}: runs transforms in the real engine, without sockets
 *   <li>{@link dev.sallyport.testkit.TransformContract}: what every transform has to keep, as tests to inherit
 *   <li>{@link dev.sallyport.testkit.SourceGate}, {@link dev.sallyport.testkit.SourceContract}: the same for secret sources
 *   <li>{@link dev.sallyport.testkit.FakeSecrets}, {@link dev.sallyport.testkit.VirtualTime}: what tests control
 * </ul>
 */
@NullMarked
package dev.sallyport.testkit;

import org.jspecify.annotations.NullMarked;
