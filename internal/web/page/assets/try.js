// A try-out of the page of a respondent. Its forms work without JavaScript; number keys and larger pictures need it.

import { enlargePictures, fitWords, foldTexts, isQuestion, keepPictures } from './question.js';

const stage = document.querySelector('#stage');

document.addEventListener('keydown', (event) => {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || !/^[1-9]$/.test(event.key)) return;
  if (isQuestion(stage.firstElementChild)) stage.querySelectorAll('.pick')[event.key - 1]?.click();
});

keepPictures(stage);
fitWords(stage);
foldTexts(stage);
enlargePictures(stage, document.querySelector('#enlarged'));
document.documentElement.classList.add('scripted');
