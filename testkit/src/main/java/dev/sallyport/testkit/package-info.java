/**
 * Test support for authors of plug-ins: a harness, fakes and contract tests.
 *
 * <p>Starting points:
 *
 * <ul>
 *   <li>{@link dev.sallyport.testkit.TransformHarness}: runs transforms in the real engine, without sockets
 *   <li>{@link dev.sallyport.testkit.TransformContract}: contract tests for every transform, to extend
 *   <li>{@link dev.sallyport.testkit.SourceGate}, {@link dev.sallyport.testkit.SourceContract}: the same for secret
 *       sources
 *   <li>{@link dev.sallyport.testkit.FakeSecrets}, {@link dev.sallyport.testkit.VirtualTime}: fakes that tests control
 * </ul>
 */
@NullMarked
package dev.sallyport.testkit;

import org.jspecify.annotations.NullMarked;
