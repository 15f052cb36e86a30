/**
 * The transform {@code judge}: asks a language model to allow or deny requests.
 *
 * <p>Starting points: {@link dev.sallyport.transforms.judge.JudgeFactory},
 * {@link dev.sallyport.transforms.judge.JudgeConfig}, {@link dev.sallyport.transforms.judge.Judge},
 * {@link dev.sallyport.transforms.judge.JudgeCall}.
 */
@NullMarked
package dev.sallyport.transforms.judge;

import org.jspecify.annotations.NullMarked;
