/* quiz_view.js: a lab's quiz, as `make quiz` asks it
 *
 * One question at a time, the answers in another order each time, the
 * explanation behind each answer, and the best score is kept. */
import {make, ownMarkup} from "./dom.js";

function shuffled(list) {
  const mixed = [...list];
  for (let i = mixed.length - 1; i > 0; i--) {
    const k = Math.floor(Math.random() * (i + 1));
    [mixed[i], mixed[k]] = [mixed[k], mixed[i]];
  }
  return mixed;
}

/** Markup of one line, without a paragraph around it. */
function inline(html) {
  const span = make("span");
  span.append(...ownMarkup(html).childNodes);
  return span;
}

/** Keep the best; @returns the words about it, empty for a new best. */
async function keepScore(store, key, right, of) {
  const old = await store.get(key);
  if (old && old.right > right) {
    return ` Your best so far is ${old.right}.`;
  }
  await store.put(key, {right, of});
  return "";
}

class Quiz {
  #right = 0;
  #asked = 0;
  box = make("div", {class: "quiz"});

  constructor(lab, store) {
    this.quiz = lab.quiz;
    this.store = store;
    this.key = "quiz/" + lab.lab.slice(0, 2);
    this.number = lab.lab.slice(0, 2);
    this.ask();
  }

  /* Several right answers are boxes to tick, one is a choice. */
  ask() {
    const question = this.quiz.questions[this.#asked];
    const several = question.answers.filter((a) => a.right).length > 1;
    const answers = shuffled(question.answers);
    const inputs = answers.map((_, i) => make("input", {name: "answer",
      type: several ? "checkbox" : "radio", value: i}));
    const form = make("form", {}, make("fieldset", {},
      make("legend", {}, `Question ${this.#asked + 1} of ` +
        this.quiz.questions.length),
      ownMarkup(question.html),
      ...answers.map((a, i) => make("label", {class: "answer"}, inputs[i],
        inline(a.html)))),
    make("button", {}, "Answer"), make("p", {role: "status"}));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const picked = answers.map((_, i) => inputs[i].checked);
      if (!picked.includes(true)) {
        form.lastChild.textContent = several ?
          "Choose all that apply." : "Choose one.";
        return;
      }
      this.#answered(form, question, answers, picked, inputs);
    });
    this.box.replaceChildren(...this.#asked === 0 ?
      [ownMarkup(this.quiz.intro)] : [], form);
    if (this.#asked > 0) {
      inputs[0].focus();
    }
  }

  #answered(form, question, answers, picked, inputs) {
    const right = answers.every((a, i) => a.right === picked[i]);
    this.#asked++;
    this.#right += right ? 1 : 0;
    inputs.forEach((input, i) => {
      input.disabled = true;
      if (answers[i].right) {
        input.parentElement.classList.add("right");
        input.parentElement.append(make("b", {}, " (right)"));
      }
    });
    const last = this.#asked === this.quiz.questions.length;
    const next = make("button", {type: "button", onclick: () =>
      last ? this.#end() : this.ask()}, last ? "The result" : "Next question");
    form.querySelector("button").remove();
    form.lastChild.replaceChildren(make("b", {class: right ? "good" : "bad"},
      right ? "Right." : "No."));
    form.append(ownMarkup(question.why), next);
    next.focus();
  }

  async #end() {
    const of = this.quiz.questions.length;
    const best = await keepScore(this.store, this.key, this.#right, of);
    const again = make("button", {type: "button", onclick: () => {
      this.#right = this.#asked = 0;
      this.ask();
    }}, "Again");
    this.box.replaceChildren(make("p", {role: "status"},
      `${this.#right} of ${of} right.${best}`), again);
    again.focus();
  }
}

export function quizView(lab, store) {
  return new Quiz(lab, store).box;
}
