/// training.
#include "science/config/problem_parts.h"

namespace eddy::config::parts {

namespace {

Schema<LearningRate> learning_rate() {
  using L = LearningRate;
  const auto positive = number({.above = 0});
  const Schema<ExponentialRate> exponential =
      ObjectSchema<ExponentialRate>("exponential", "start * rate^(step/every).")
          .required("start", &ExponentialRate::start, positive, "rate at the stage's begin")
          .field("rate", &ExponentialRate::rate, positive, "factor after `every` steps")
          .field("every", &ExponentialRate::every, count(), "steps")
          .schema();
  const Schema<StepRate> step = ObjectSchema<StepRate>("step", "start * rate^floor(step/every).")
                                    .required("start", &StepRate::start, positive, "rate at the stage's begin")
                                    .field("rate", &StepRate::rate, positive, "factor after every `every` steps")
                                    .field("every", &StepRate::every, count(), "steps")
                                    .schema();
  const Schema<CosineRate> cosine = ObjectSchema<CosineRate>("cosine", "Half a period of a cosine from start to end.")
                                        .required("start", &CosineRate::start, positive, "rate at the stage's begin")
                                        .field("end", &CosineRate::end, number({.min = 0}), "rate at the end")
                                        .field("steps", &CosineRate::steps, count(), "length; none: the stage's steps")
                                        .schema();
  const Schema<L> object = ObjectSchema<L>("learning rate", "How the learning rate changes with the steps of a stage.")
                               .field("constant", &L::constant, positive, "one rate")
                               .field("exponential", &L::exponential, exponential, "exponential decay")
                               .field("step", &L::step, step, "decay in steps")
                               .field("cosine", &L::cosine, cosine, "cosine decay")
                               .field("warmup", &L::warmup, count(0), "steps over which the rate first rises from 0")
                               .exactly_one({"constant", "exponential", "step", "cosine"})
                               .later({"one_cycle", "plateau"})
                               .schema();
  return with_shorthand<L, double>(
      object, positive,
      [](double constant) {
        L rate;
        rate.constant = constant;
        return rate;
      },
      [](const L& rate) { return rate.warmup == 0 ? rate.constant : std::nullopt; });
}

}  // namespace

Schema<DType> precision() { return choice<DType>({{"f32", DType::f32}, {"f64", DType::f64}}); }

Schema<TrainingSpec> training() {
  using S = StageSpec;
  using T = TrainingSpec;
  const Schema<S> stage =
      ObjectSchema<S>("stage", "A phase of training with its own optimizer. Stages run in the order of the file.")
          .required("optimizer", &S::optimizer, text(), "its name (`eddy list optimizers`)")
          .required("steps", &S::steps, count(0), "number of steps")
          .field("lr", &S::lr, learning_rate(), "learning rate; none: the optimizer's default")
          .field("clip", &S::clip, number({.above = 0}), "bound of the gradient's global norm")
          .field("precision", &S::precision, precision(), "f32 or f64; none: the file's")
          .field("resample", &S::resample, resample(), "overrides the constraints' own")
          .rest(&S::options, "options of the optimizer (`eddy describe NAME`)")
          .located(&S::where)
          .later({"freeze", "set", "stop", "balance"})
          .schema();
  const Schema<StopSpec> stop =
      ObjectSchema<StopSpec>("stop", "When training ends before its last step.")
          .field("minutes", &StopSpec::minutes, number({.min = 0, .unit = "minutes"}), "wall time; 0: no limit")
          .field("loss", &StopSpec::loss, number({.min = 0}), "the loss has come below this")
          .schema();
  return ObjectSchema<T>("training", "How the networks are trained.")
      .field("loss", &T::loss, reduction(),
             "how the squares of a term's points are summed up: `mean`, `sum`, or `integral`: the mean times the "
             "region's size")
      .required("stages", &T::stages, map_of(stage, "stage"), "phases by name")
      .field("stop", &T::stop, stop, "criteria to end early")
      .field("log_every", &T::log_every, count(0), "steps between two lines of the history, 0: never")
      .field("validate_every", &T::validate_every, count(0),
             "steps between two comparisons with the reference, 0: only at the end")
      .field("checkpoint_every", &T::checkpoint_every, count(0), "steps between two checkpoints, 0: only at the end")
      .later({"balance"})
      .check([](const T& t, const Node& node) {
        if (t.stages.empty())
          throw UserError(node.find("stages")->where, "training has no stages", "adam: {optimizer: adam, steps: 1000}");
      })
      .schema();
}

}  // namespace eddy::config::parts
